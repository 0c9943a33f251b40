"""What a server runs: models of the engine, Python functions, and ensembles of both."""
