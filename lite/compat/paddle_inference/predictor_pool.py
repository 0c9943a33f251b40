"""PredictorPool of ``paddle.inference``."""

from __future__ import annotations

from lite.compat.paddle_inference.config import Config
from lite.compat.paddle_inference.predictor import Predictor, create_predictor
from lite.errors import ConfigError


class PredictorPool:
    """`size` predictors of one model, one for each thread; weights are shared."""

    def __init__(self, config: Config, size: int) -> None:
        if size < 1:
            raise ConfigError(f"PredictorPool: expected 1 predictor or more, got {size}")
        first = create_predictor(config)
        self._predictors = [first, *(first.clone() for _ in range(size - 1))]

    def retrive(self, index: int) -> Predictor:
        """The predictor at `index` (the spelling is Paddle's)."""
        if not 0 <= index < len(self._predictors):
            raise ConfigError(
                f"PredictorPool: there are {len(self._predictors)} predictors, no number {index}"
            )
        return self._predictors[index]

    def retrieve(self, index: int) -> Predictor:
        """The predictor at `index`."""
        return self.retrive(index)
