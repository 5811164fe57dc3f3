"""What must hold for every text, setting and file: properties checked on generated cases, in `make test` and `make fuzz`."""
