"""Apple's Core ML: regions become ML programs, in packages that macOS and iOS run."""
