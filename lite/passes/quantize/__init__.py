"""Passes between ops that quantise and values that are quantised."""
