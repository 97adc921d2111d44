"""Kernels of grammars: charts, trees, caches of trees, and sampling."""
