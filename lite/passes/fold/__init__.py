"""Passes that compute values before the first run which do not depend on the inputs."""
