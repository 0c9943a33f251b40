"""Tests of the API of paddle.inference."""
