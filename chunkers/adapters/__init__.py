"""Other people's chunkers beside our own, to compare with: run when they are installed, and never needed."""
