"""Models and checkpoints of runs on disk: JSON, safetensors and Parquet in one directory; no pickle."""

from stickbreaker.saved.directory import ModelDirectory, Snapshot

__all__ = ["ModelDirectory", "Snapshot"]
