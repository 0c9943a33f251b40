"""The commands of ``litebridge``, one per file."""
