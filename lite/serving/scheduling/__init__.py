"""Queues of models, batches, and the threads that run them."""
