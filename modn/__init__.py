"""MODN: the multi-in and multi-out dendritic neuron model, its optimizers and its training."""
