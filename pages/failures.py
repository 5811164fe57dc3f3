"""Failures: cases with known boundaries, and suspicious cuts without them."""

from viz.failures.page import show

show()
