"""Runs that learn topics: starts, streams, samplers, snapshots."""
