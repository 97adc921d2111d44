"""From text to tokens: scripts, languages, analyses."""
