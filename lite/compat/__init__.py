"""Other projects' Python APIs on our engine, so that deployed code runs unchanged."""
