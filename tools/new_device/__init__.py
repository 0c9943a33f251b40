"""`litebridge new-device`: writes a device package that works at once."""
