"""The parameters: their schema, how conf/ composes to them, and what is derived."""
