"""The mathematics: frozen hyperparameters and pure functions; no loop, no input or output, no clock."""
