"""Results as HTML that needs nothing but itself: for notebooks, and for reports to share."""
