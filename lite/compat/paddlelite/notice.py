"""Warnings about settings of Paddle-Lite that mean nothing here."""

from lite.compat.notice import Notice

warn_once = Notice("paddlelite")
