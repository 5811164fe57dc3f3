"""Opening state of the Tune page: its first settings, run on the bundled documents."""
