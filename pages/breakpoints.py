"""Breakpoints: the greedy chunker's scores, line and cuts, gap by gap."""

from viz.breakpoints import show

show()
