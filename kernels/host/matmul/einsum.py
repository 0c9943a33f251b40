"""einsum on the host."""

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.ops.einsum_terms import terms
from lite.plugin.kernel import Array, kernel, write


@kernel("einsum")
def einsum(Operands: list[Array], *, equation: str, out: Array | None = None) -> Array:
    """Products over the named axes, summed over those that the result lacks; narrow floats via float32."""
    operands, result = terms(equation)
    text = f"{','.join(operands)}->{result}".replace(".", "...")
    found = np.einsum(text, *(widened(operand) for operand in Operands), optimize=len(Operands) > 1)
    return write(out, np.array(found, Operands[0].dtype))
