"""The op schemas, one family a file."""
