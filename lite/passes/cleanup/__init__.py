"""Passes that leave one spelling per meaning and nothing that is not needed."""
