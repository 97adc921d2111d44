"""What every other room rests on: errors, files, randomness, records of arrays, and edits of their shape."""
