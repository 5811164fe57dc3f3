"""Double pass: what each of two passes joins, and why."""

from viz.double_pass import show

show()
