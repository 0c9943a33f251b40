"""The stand-in for paddle.inference."""
