"""N-gram language models: from a corpus to sentences of numbers, and to other programs."""
