"""Scripts that maintain a checkout; they are not part of the wheel."""
