"""Finding subgraphs that devices can run."""

from lite.subgraph.plan_regions import RegionNode, plan_regions

__all__ = ["RegionNode", "plan_regions"]
