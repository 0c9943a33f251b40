"""Tests of the Python APIs of other projects."""
