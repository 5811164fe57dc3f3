"""What the Tune page opens with: its first settings, run on the bundled documents."""
