"""Tests of source code from models."""
