"""What chunkers are compared at: an equal budget, or the top k; and the curve over all budgets."""
