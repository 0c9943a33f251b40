"""abacus: a device outside litebridge's tree, as small as one can be, with a composite of its own."""
