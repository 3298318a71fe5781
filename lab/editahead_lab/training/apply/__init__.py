"""Fits of the weights of Apply to sketches of commits."""
