"""One question over all columns of Compare: its settings, its answer for the browser, and the questions that are kept."""
