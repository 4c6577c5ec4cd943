"""What the paper needs and the library does not."""
