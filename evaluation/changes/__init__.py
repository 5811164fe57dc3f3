"""Cost of a change of settings: the chunks that differ, and the tokens to embed again."""
