"""Libraries that write file formats of vendors; devices whose SDKs read one format share a library."""
