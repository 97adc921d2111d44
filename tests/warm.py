"""Imported by the server that starts children: they begin with modules, kernels and Python's docs loaded."""

import audit.warm as audit
import sklearn.feature_extraction.text as text
import sklearn.linear_model as linear_model
import sklearn.model_selection as model_selection
import sklearn.pipeline as pipeline

import stickbreaker
from stickbreaker.corpus.readers import python_docs

__all__ = ["audit", "estimators", "linear_model", "model_selection", "pipeline", "text"]
estimators = (stickbreaker.LDA, stickbreaker.HDP)
documents = tuple(python_docs.python_documents())  # some seconds, and several examples begin with them
python_docs.python_documents = lambda: iter(documents)
