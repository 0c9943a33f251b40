"""Other engines on the same models: one file for each, the list of them in `known`."""
