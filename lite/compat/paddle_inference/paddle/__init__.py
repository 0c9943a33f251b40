"""Stand-ins for what deployed programs import from ``paddle`` around ``paddle.inference``.

Arrays before and after the model are numpy arrays in `tensor.Tensor`; layers cannot be built or trained.
"""
