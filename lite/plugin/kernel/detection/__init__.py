"""What detection ops compute around a search of boxes, which each target has its own of."""
