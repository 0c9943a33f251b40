"""The grammar ``name{key=value}`` of passes and devices, and typed options read from it."""
