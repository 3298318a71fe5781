"""A next-edit model as a predictor: from a state to a request, from its answer to candidates for the gate."""
