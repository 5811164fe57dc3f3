"""What surrounds every page: the menu, lecture mode, the life of a page, results and their progress."""
