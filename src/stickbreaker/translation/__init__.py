"""Translation that follows the topics of a document: lexicons by topic, word alignment, phrase-based
decoding."""
