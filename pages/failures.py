"""Failures: documents with known boundaries, and suspicious cuts in any text."""

from viz.failures.page import show

show()
