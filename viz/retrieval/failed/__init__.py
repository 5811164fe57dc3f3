"""List of failed questions with their causes."""
