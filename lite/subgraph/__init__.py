"""Divides graphs into subgraphs that devices run."""

from lite.subgraph.plan_regions import PLACEMENTS, plan_regions

__all__ = ["PLACEMENTS", "plan_regions"]
