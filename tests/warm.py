"""Imported by the server that starts children: they begin with modules imported and kernels loaded."""

from stickbreaker import LDA
from stickbreaker.estimators import sampling as sampling

for inference in ("mean-field", "hybrid", "gibbs", "gibbs-delayed"):
    LDA(2, inference=inference, max_iter=1, tol=0, n_jobs=1).fit(["a river bank", "bank money"])
