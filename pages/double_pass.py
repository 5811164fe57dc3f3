"""Double pass: the joins of both passes, with their reasons."""

from viz.double_pass.page import show

show()
