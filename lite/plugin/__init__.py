"""Everything that plug-in authors import, the registries, and the loader that finds plug-ins."""
