"""Passes that leave one spelling per meaning, and remove ops without effect and duplicates."""
