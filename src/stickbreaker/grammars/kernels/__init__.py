"""Kernels of grammars: charts, trees, and the sampling of who remembers what."""
