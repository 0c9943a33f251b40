"""The page of a model: one HTML file with its graph, placement, times, memory and differences."""
