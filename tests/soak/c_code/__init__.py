"""Models as C against the engine: the models beside the checkout, and random graphs."""
