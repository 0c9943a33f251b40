"""Where a run's thread and its workers find each other: words of a vector, each on a line of its own."""

TICKET, GATE, CLAIM, ACTIVE, FUNCTION, ARGUMENTS, COUNT, GRAIN, PIECES = range(0, 72, 8)
"""`TICKET` counts jobs.  `GATE` is `OPEN` while a job may be entered, plus how many workers are inside.
`CLAIM` is the next piece.  `ACTIVE` is 1 during a run, -1 when workers shall end."""

SIZE = 72
"""Words of the vector."""

OPEN = 1 << 32
