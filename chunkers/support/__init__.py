"""Errors, limits, types of arrays, number formats and other parts that every room uses."""
