"""Parts shared by all pages: the menu, lecture mode, the page's lifecycle, results and progress."""
