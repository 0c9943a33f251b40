"""Losses by numpy."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel


@kernel("softmax_with_cross_entropy")
def softmax_with_cross_entropy(
    Logits: Array, Label: Array, *, soft_label: bool, use_softmax: bool, ignore_index: int, axis: int
) -> tuple[Array, Array]:
    """Paddle softmax_with_cross_entropy: probabilities, and losses with a size of 1 along `axis`.

    Label has probabilities (`soft_label`) or a class, with or without a size of 1 along `axis`; the class
    `ignore_index` gives 0.  Without `use_softmax`, Logits are probabilities.
    """
    logits, place = widened(Logits), axis % Logits.ndim
    with np.errstate(divide="ignore"):
        if use_softmax:
            shifted = logits - logits.max(place, keepdims=True)
            logarithms = shifted - np.log(np.exp(shifted).sum(place, keepdims=True))
        else:
            logarithms = np.log(logits)
    if soft_label:
        loss = -(Label * logarithms).sum(place, keepdims=True)
    else:
        labels = Label if Label.ndim == Logits.ndim else np.expand_dims(Label, place)
        ignored = labels == ignore_index
        taken = np.take_along_axis(logarithms, np.where(ignored, 0, labels).astype(np.int64), place)
        loss = np.where(ignored, 0, -taken)
    softmax = np.exp(logarithms) if use_softmax else logits
    return softmax.astype(Logits.dtype, copy=False), loss.astype(Logits.dtype, copy=False)


@kernel("bce_loss")
def bce_loss(X: Array, Label: Array) -> Array:
    """Paddle bce_loss: ``-Label · log(X) - (1 - Label) · log(1 - X)``, logarithms limited to -100."""
    x = widened(X)
    with np.errstate(divide="ignore"):
        first, second = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
    return np.asarray(-Label * first - (1 - Label) * second).astype(X.dtype, copy=False)


@kernel("kldiv_loss")
def kldiv_loss(X: Array, Target: Array, *, reduction: str, log_target: bool) -> Array:
    """Paddle kldiv_loss: ``Target · (log(Target) - X)``, 0 where Target is not positive."""
    x, target = widened(X), widened(Target)
    if log_target:
        loss = np.exp(target) * (target - x)
    else:
        loss = np.where(target > 0, target * (np.log(np.where(target > 0, target, 1)) - x), 0)
    if reduction == "batchmean":
        loss = loss.sum() / len(X)
    elif reduction != "none":
        loss = loss.mean() if reduction == "mean" else loss.sum()
    return np.asarray(loss).astype(X.dtype, copy=False)


@kernel("log_loss")
def log_loss(Predicted: Array, Labels: Array, *, epsilon: float) -> Array:
    """Paddle log_loss: ``-Labels · log(p + epsilon) - (1 - Labels) · log(1 - p + epsilon)``."""
    first, second = np.log(Predicted + epsilon), np.log(1 - Predicted + epsilon)
    return np.asarray(-Labels * first - (1 - Labels) * second).astype(Predicted.dtype, copy=False)


@kernel("huber_loss")
def huber_loss(X: Array, Y: Array, *, delta: float) -> tuple[Array, Array]:
    """Paddle huber_loss: half the square of ``Y - X``, from `delta` on a straight line; and ``Y - X``."""
    residual = np.asarray(Y - X)
    size = np.abs(residual)
    loss = np.where(size <= delta, 0.5 * residual * residual, delta * (size - 0.5 * delta))
    return loss.astype(X.dtype, copy=False), residual


@kernel("sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    X: Array, Label: Array, pos_weight: Array | None, *, normalize: bool, ignore_index: int
) -> Array:
    """Paddle sigmoid_cross_entropy_with_logits: binary cross entropy, 0 where Label is `ignore_index`.

    With `normalize`, it is divided by the number of labels that count.  pos_weight has a factor of the
    logarithm for each element.
    """
    x, kept = widened(X), Label != ignore_index
    tail = np.log1p(np.exp(-np.abs(x)))
    if pos_weight is None:
        loss = np.maximum(x, 0) - x * Label + tail
    else:
        loss = (1 - Label) * x + pos_weight * (tail + np.maximum(-x, 0))
    loss = np.where(kept, loss, 0)
    if normalize:
        loss = loss / max(int(kept.sum()), 1)
    return np.asarray(loss).astype(X.dtype, copy=False)


@kernel("label_smooth")
def label_smooth(X: Array, PriorDist: Array | None, *, epsilon: float) -> Array:
    """Paddle label_smooth: ``(1 - epsilon) · X + epsilon · PriorDist``; without one ``1 / classes``."""
    prior = 1 / X.shape[-1] if PriorDist is None else PriorDist.reshape(-1)
    return np.asarray((1 - epsilon) * X + epsilon * prior).astype(X.dtype, copy=False)


@kernel("fused_softmax_mask")
def fused_softmax_mask(X: Array, Mask: Array) -> Array:
    """Paddle fused_softmax_mask: softmax of X + Mask along the last axis; Mask broadcasts."""
    x = widened(X) + widened(Mask)
    powers = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True)).astype(X.dtype, copy=False)
