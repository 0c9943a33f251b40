"""The version of the SDK."""

VERSION = "2.1.0"


def version() -> str:
    """The SDK's version; blobs of another major version do not load."""
    return VERSION
