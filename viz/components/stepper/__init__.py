"""The stepper: walks through a chunker's work step by step."""
