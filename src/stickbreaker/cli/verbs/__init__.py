"""The verbs of the command, one file each; `topics.py` has `transform` too, `fit.py` `resume`."""
