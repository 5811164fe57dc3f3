"""What several chunkers share: thresholds, sizes, joint distances, linkage, partitions, the ledger of gaps."""
