"""The command line that cuts documents."""
