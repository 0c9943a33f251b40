"""Passes that decide where ops run and values live."""
