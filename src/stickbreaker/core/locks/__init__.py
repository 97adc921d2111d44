"""Locks of files and directories, and claims on them."""
