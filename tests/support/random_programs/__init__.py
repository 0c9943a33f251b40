"""Random programs for property tests, drawn by hypothesis.

`tensor_ops` draws programs that can run, `control_flow` nested blocks that only an interpreter of symbols can
run, and `stored` any content that a model file can hold.
"""
