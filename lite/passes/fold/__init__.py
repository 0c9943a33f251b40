"""Passes that compute values before the first run if they do not depend on the inputs."""
