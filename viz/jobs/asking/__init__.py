"""Background jobs that ask the chunks of several chunkers one question."""
