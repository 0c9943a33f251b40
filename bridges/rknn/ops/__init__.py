"""Bridges of the device rknn where the shared ones do not fit."""
