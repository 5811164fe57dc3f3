"""Double pass: what each of two passes joins, and why."""

from viz.double_pass.page import show

show()
