"""How the packages that are installed are made of a checkout; nothing of it is installed."""
