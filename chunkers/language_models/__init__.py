"""Language models behind a server: prompts, costs and a cache of answers."""
