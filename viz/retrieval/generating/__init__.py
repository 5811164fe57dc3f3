"""Generated questions: requested from a language model, filtered, edited, and used for a run."""
