"""One question for all columns of Compare: its settings, its answer for the browser, and the stored questions."""
