"""Finding subgraphs that devices can run."""

from lite.subgraph.plan_regions import PLACEMENTS, RegionNode, plan_regions

__all__ = ["PLACEMENTS", "RegionNode", "plan_regions"]
