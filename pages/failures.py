"""Failures: cases with known boundaries, and what looks wrong without them."""

from viz.failures.page import show

show()
