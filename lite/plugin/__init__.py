"""All that a plug-in author imports: kernels, parsers, the registry, the loader."""
