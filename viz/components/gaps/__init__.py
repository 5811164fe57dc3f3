"""Gaps between sentences that the user clicks: as known boundaries, or as cuts of their own."""
