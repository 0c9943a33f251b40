"""Tests of the API of paddlelite.lite."""
