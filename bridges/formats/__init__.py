"""File formats that several devices read: graphs of the format, conversions of ops to them, writers."""
