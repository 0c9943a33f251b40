"""Arguments and options that several commands share, each with the type of its value."""
