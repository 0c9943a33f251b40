"""What holds for the whole tree."""
