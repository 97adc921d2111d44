"""Compiled inner loops: arrays in, arrays out, one algorithm a file.

Every function here is compiled by numba on its first call and cached on disk. `fastmath` is limited to
re-association and contraction, so that sums vectorise and NaN stays NaN; the result is the same for any
number of threads, because a thread works on whole shards.
"""
