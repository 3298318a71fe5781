"""What a worker of vLLM loads: weights by deltas while it serves, and a log of the experts that its routers choose."""
