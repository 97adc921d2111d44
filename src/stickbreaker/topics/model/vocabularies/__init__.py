"""What a topic is a distribution over: the words of a closed vocabulary, or all strings."""
