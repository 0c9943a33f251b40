"""Passes that compute before the first run what does not depend on the inputs."""
