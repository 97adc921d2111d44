"""What every other room rests on: errors, files, randomness, records, edits and contracts."""
