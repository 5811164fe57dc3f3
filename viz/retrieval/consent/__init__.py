"""Requests of a Retrieval run to a language model, and the user's consent to them."""
