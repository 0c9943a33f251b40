"""The stand-in for paddlelite.lite."""
