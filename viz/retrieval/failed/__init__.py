"""Where failed questions broke: a list to click through."""
