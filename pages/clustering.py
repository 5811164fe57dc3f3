"""Clustering: chunks of sentences that need not be neighbours."""

from viz.clustering.page import show

show()
