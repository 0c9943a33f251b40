"""Emitters of C, one file a family of ops; the C functions that they call are in include/."""
