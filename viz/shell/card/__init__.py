"""Verdicts at a position in the text, and the preview of the change that would reverse one."""
