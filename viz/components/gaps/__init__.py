"""Gaps between sentences that the user clicks to set known boundaries or cuts."""
