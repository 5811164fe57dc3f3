"""Check documents and a recipe against rules, for continuous integration: problems with places, scores with a baseline."""
