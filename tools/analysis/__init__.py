"""What commands find out about a model: wrong ops, differing values, costs of ops, times of runs."""
