"""The grammar ``name{key=value}`` of passes and devices, and the typed options in it."""
