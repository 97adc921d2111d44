"""The commands that several kinds share, one file each."""
