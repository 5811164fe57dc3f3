"""Storage of runs on disk: settings and results as numbers, documents as hashes."""
