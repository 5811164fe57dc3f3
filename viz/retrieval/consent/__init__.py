"""What a run of the Retrieval page sends to a language model, and the user's consent to it."""
