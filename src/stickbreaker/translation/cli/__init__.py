"""The commands of `stickbreaker translate`."""
