"""Comparison of chunkers at an equal budget or at the top k, and the curve over all budgets."""
