"""Other engines: a file for each, and the list of them in `engines`."""
