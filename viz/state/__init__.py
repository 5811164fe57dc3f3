"""The state of a session: choices, link, text, embedder, session file. Nothing here draws."""
