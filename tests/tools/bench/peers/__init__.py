"""Tests of the engines with which litebridge is compared."""
