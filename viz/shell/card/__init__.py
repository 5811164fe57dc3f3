"""Verdicts at a place of the text, and the preview of the change that would reverse one."""
