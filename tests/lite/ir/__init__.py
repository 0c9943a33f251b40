"""Tests of the model in memory."""
