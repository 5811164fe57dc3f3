"""The contract of a chunker: its base class and the services it is given."""
