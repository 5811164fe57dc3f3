"""What the user chose and has: choices, link, text, embedder, session file. Draws nothing."""
