"""Scripts and style sheets that several components begin with."""
