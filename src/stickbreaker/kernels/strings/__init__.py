"""Kernels that read spellings: words by their bytes."""
