"""Locks of files and directories, and whose they are."""
