"""Data kept between runs: the cache of embeddings, the private files of caches, and turns for embedders."""
