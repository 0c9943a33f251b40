"""`litebridge new-device`: a device package that works at once, to be changed piece by piece."""
