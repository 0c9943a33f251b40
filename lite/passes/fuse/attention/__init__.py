"""Fusions of attention and squeeze-and-excite blocks."""
