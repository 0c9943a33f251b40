"""Old spellings of ops that become several nodes, one op a file."""
