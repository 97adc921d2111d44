"""Translation by topics of a document: lexicons by topic, word alignment, phrase-based decoding."""
