"""The targets, one module each; see `modn.export`."""
