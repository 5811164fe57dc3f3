"""Breakpoints: the greedy chunker's scores, line and cuts, gap by gap."""

from viz.breakpoints.page import show

show()
