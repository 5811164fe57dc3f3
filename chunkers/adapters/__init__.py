"""Adapters for other libraries' chunkers, to compare with ours; the libraries are optional."""
