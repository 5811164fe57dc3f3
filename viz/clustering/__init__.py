"""The Clustering page."""
