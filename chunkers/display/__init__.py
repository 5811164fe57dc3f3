"""Results as HTML that needs nothing but itself: for notebooks, and for reports that are sent to somebody."""
