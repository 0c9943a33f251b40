"""What PNNX operators become; every file registers its own."""
