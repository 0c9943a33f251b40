"""Ops of control flow."""
