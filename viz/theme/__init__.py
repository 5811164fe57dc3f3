"""The look: palette, figures, numbers in words, the page's style sheet. Knows no other room."""
