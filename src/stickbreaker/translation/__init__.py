"""Translations that follow the topics of a document: lexicons counted from aligned sentences."""
