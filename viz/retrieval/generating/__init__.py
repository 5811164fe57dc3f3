"""Questions that a language model asks about the documents: asked for, filtered, edited, and put to work."""
