"""Suspicious cuts, found by rules that need no known boundary."""
