"""Predictors: builds a planned model from a Config, and runs it."""
