"""Inner functions of the compiled functions: tiles of products, epilogues, and copies of rows and windows."""
