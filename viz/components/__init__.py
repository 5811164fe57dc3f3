"""What several pages mount in the browser: the reader, the stepper, the notice, the text store."""
