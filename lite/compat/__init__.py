"""The Python APIs of other projects, implemented by litebridge, so that existing programs run unchanged."""
