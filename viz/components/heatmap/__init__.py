"""The heatmap of the distances between sentences, and of the chunks over it."""
