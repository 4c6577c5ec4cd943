"""What the optimizers share: spaces, the loop, states, draws, codes."""
