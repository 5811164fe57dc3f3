"""Scripts and style sheets that several components share."""
