"""Divides graphs into subgraphs that devices run."""

PLACEMENTS = ("priority", "fewest_regions", "cost")
"""How ops are assigned to devices; `plan_regions` explains them."""
