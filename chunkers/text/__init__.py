"""From bytes to sentences and tokens: reading files, splitting into sentences, counting tokens."""
