"""TFLite, which LiteRT and Arm's Vela read: conversions of ops to its operators, and its files."""
