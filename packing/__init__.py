"""Build of the installable packages from a checkout; not installed itself."""
