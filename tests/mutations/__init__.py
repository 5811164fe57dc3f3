"""Mutation check of the tests: see `python -m tests.mutations --help`."""
