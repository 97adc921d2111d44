"""Slow, plain versions of the kernels, from the equations; they import nothing of the kernels."""
