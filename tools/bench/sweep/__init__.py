"""Cases of single ops, and the measurement of one."""
