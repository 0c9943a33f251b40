"""Observation of runs: times of ops, values, their statistics, and memory."""
