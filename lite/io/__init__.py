"""Reading and writing models in any format."""
