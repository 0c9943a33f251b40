"""Losses."""

from __future__ import annotations

from lite.model_parser.paddle.pir.translations import pir_ops

pir_ops(
    {
        "bce_loss": "bce_loss X Label -> Out",
        "cross_entropy_with_softmax": "softmax_with_cross_entropy Logits Label -> Softmax Loss | "
        "soft_label use_softmax ignore_index axis",
        "huber_loss": "huber_loss X Y -> Out Residual | delta",
        "kldiv_loss": "kldiv_loss X Target -> Loss | reduction log_target",
        "label_smooth": "label_smooth X PriorDist -> Out | epsilon",
        "log_loss": "log_loss Predicted Labels -> Loss | epsilon",
        "nll_loss": "nll_loss X Label Weight -> Out Total_weight | ignore_index reduction",
        "sigmoid_cross_entropy_with_logits": "sigmoid_cross_entropy_with_logits X Label pos_weight -> Out | "
        "normalize ignore_index",
    }
)
