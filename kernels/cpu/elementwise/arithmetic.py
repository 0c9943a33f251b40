"""How two numbers become one, as compiled functions are told."""

SUM, PRODUCT, MAXIMUM, MINIMUM, DIFFERENCE, QUOTIENT = range(6)
