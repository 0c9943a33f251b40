"""abacus: a minimal device outside of litebridge's tree, with a composite."""
