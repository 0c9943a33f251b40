"""Long runs that look for faults which short tests miss; each is a module to run, bounded by its options."""
