"""Draft tokens for speculative decoding, taken from texts at hand instead of a second model."""
