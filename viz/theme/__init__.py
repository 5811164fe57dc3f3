"""The look of the pages: palette, figures, number formats, style sheet. Imports no other part of viz."""
