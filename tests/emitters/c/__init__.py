"""Tests of the emitters of C."""
