"""Requests and responses as data, and their forms in JSON, binary HTTP bodies and protobuf messages."""
