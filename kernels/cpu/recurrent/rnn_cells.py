"""The cells of recurrent layers that compiled functions know."""

LSTM, GRU, GRU_RESET_FIRST, RNN_TANH, RNN_RELU = range(5)
"""`GRU` multiplies the state before it resets it, `GRU_RESET_FIRST` behind."""

GATES = {LSTM: 4, GRU: 3, GRU_RESET_FIRST: 3, RNN_TANH: 1, RNN_RELU: 1}
"""How many gates a cell has: of an LSTM i, f, o, c, of a GRU r, z, c, in this order."""
