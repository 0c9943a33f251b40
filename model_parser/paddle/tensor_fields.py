"""Where the tensor description of each kind of variable lies in VarType."""

from __future__ import annotations

from lite.ir.program import VarKind
from lite.model_parser.paddle.framework_pb2 import VarType

TENSOR_FIELDS = {
    VarKind.TENSOR: "lod_tensor",
    VarKind.TENSOR_ARRAY: "tensor_array",
    VarKind.SELECTED_ROWS: "selected_rows",
    VarKind.STRING: "string",
    VarKind.STRINGS: "strings",
    VarKind.VOCAB: "vocab",
    VarKind.SPARSE_COO: "sparse_coo",
    VarKind.SPARSE_CSR: "sparse_csr",
}
"""Kinds that are not here hold no tensor."""

LOD_KINDS = {VarKind.TENSOR, VarKind.TENSOR_ARRAY}
"""Their description has a LoD level beside the tensor."""

TENSOR_NUMBERS = {
    kind: VarType.DESCRIPTOR.fields_by_name[name].number for kind, name in TENSOR_FIELDS.items()
}
