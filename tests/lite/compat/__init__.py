"""Other projects' Python APIs."""
