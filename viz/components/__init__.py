"""Browser components that several pages share: the reader, the stepper, the notice, the text store."""
