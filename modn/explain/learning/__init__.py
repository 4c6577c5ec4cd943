"""How circuits are learned: from samples, or from a trained neuron."""
