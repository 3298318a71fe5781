"""A next-edit model as a predictor: from a state to a request, from the answer to candidates."""
