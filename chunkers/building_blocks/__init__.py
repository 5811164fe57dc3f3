"""Building blocks of several chunkers: thresholds, sizes, joint distances, linkage, partitions and the ledger of gaps."""
