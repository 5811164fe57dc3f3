"""Tune: many settings on documents with known boundaries."""

from viz.tune import show

show()
