"""Translations of PNNX operators; each module is a family of `kernels/host`, `slice` a part of shape.

All modules are imported when the first model is parsed.  The meaning of operators and parameters is that of
the torch module or function in their names: ``nn.Conv2d``, ``F.pad``, ``torch.add``, ``Tensor.view``.
"""
