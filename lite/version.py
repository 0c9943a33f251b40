"""The version of litebridge, for those parts of the engine that do not import the facade."""

VERSION = "0.1.0"
