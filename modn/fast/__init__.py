"""The equations compiled: losses and gradients of whole populations, tested against the readable ones."""
