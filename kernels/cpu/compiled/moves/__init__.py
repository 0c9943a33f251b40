"""Functions that move the elements of tensors."""
