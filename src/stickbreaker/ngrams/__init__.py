"""N-gram language models: learning, scoring, rescoring, and exchange with other programs."""
