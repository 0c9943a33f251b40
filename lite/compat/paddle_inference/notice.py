"""Warnings about settings of Paddle Inference that mean nothing here."""

from lite.compat.notice import Notice

warn_once = Notice("paddle.inference")
