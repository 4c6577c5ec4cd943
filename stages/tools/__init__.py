"""Commands beside the stages."""
