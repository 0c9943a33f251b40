"""From a Config to a running predictor."""
