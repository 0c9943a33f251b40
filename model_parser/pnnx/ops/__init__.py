"""Translations of PNNX operators; each module is a family of `kernels/host`, `slice` a part of shape.

A module is imported when a model has an op that it names.  The meaning of operators and parameters is that of
the torch module or function in their names: ``nn.Conv2d``, ``F.pad``, ``torch.add``, ``Tensor.view``.
"""
