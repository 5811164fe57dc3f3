"""Build of the installable packages from a checkout; not itself installed."""
