"""What the pages draw with."""
