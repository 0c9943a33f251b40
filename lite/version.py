"""The version of litebridge, for parts of the engine, which may not import the package itself."""

VERSION = "0.1.0"
