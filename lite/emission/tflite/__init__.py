"""TFLite operators from ops: the graph under construction, conversions as bridges, and the file."""
