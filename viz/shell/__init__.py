"""What all pages have in common: the menu, lecture mode, the page's lifecycle, results and progress."""
