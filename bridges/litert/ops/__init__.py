"""The ops that LiteRT takes, by family."""
