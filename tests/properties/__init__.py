"""Properties of every text, setting and file, checked on generated cases in `make test` and `make fuzz`."""
