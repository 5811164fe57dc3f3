"""Benchmarks of speed and quality, beside the libraries whose algorithms the chunkers follow."""
