"""The stepper: one step of a chunker's work after another."""
