"""Draft tokens for speculative decoding that come of texts at hand instead of a second model."""
