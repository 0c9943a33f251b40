"""HTTP: the protocol, metrics, health and a page for people."""
