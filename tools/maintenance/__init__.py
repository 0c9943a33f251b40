"""Scripts for developers of litebridge; not part of the wheel."""
