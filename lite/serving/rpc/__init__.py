"""gRPC: the protocol's calls."""
