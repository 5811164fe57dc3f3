"""Asking the chunks of several chunkers one question, in the background."""
