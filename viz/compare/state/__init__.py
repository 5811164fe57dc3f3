"""The state that only Compare has."""
