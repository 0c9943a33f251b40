"""Watching a run: times, values, statistics and memory."""
