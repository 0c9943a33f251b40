"""Every activation, applied to %x."""

from __future__ import annotations

ACTIVATIONS = (
    "celu(X=%x) {alpha=0.5}",
    "elu(X=%x) {alpha=0.5}",
    "gelu(X=%x) {approximate=false}",
    "gelu(X=%x) {approximate=true}",
    "hard_sigmoid(X=%x) {slope=0.1, offset=0.4}",
    "hard_swish(X=%x) {threshold=5.0, scale=4.0, offset=2.0}",
    "leaky_relu(X=%x) {alpha=0.3}",
    "logsigmoid(X=%x)",
    "mish(X=%x) {threshold=1.0}",
    "relu(X=%x)",
    "relu6(X=%x) {threshold=1.0}",
    "relu_clipped(X=%x) {Relu_clipped_coef=0.5}",
    "selu(X=%x) {scale=0.5, alpha=2.0}",
    "sigmoid(X=%x)",
    "softplus(X=%x) {beta=2.0, threshold=1.0}",
    "softsign(X=%x)",
    "swish(X=%x) {beta=0.7}",
    "tanh(X=%x)",
    "thresholded_relu(X=%x) {threshold=0.5}",
)
