"""Building blocks of several chunkers: thresholds, sizes, joint distances, propositions and the ledger of gaps."""
