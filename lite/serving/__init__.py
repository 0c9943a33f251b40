"""Serves models: the Open Inference Protocol over HTTP and gRPC, a scheduler, and work on many files."""
