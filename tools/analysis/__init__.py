"""Analyses of models: wrong ops, differing values, costs of ops, times of runs, conversions."""
