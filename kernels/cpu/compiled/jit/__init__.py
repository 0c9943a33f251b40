"""How functions are compiled: the decorators, the instructions that they emit, and the object files."""
