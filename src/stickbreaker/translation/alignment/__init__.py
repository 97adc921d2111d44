"""Word alignment: links between the words of sentence pairs, learned or read from files."""
