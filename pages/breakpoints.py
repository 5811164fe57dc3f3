"""Breakpoints: the greedy chunker's scores, threshold and cuts, gap by gap."""

from viz.breakpoints.page import show

show()
