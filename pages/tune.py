"""Tune: many settings on documents with known boundaries."""

from viz.tune.page import show

show()
