"""litebridge on Ray: models on Ray Serve, and `map_batches` for datasets of Ray Data."""

from lite.ray.batches import map_batches

__all__ = ["map_batches"]
