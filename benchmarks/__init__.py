"""Benchmarks of speed and quality, compared with the libraries whose algorithms the chunkers follow."""
