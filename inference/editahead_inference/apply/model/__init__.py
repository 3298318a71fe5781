"""The model fallback: the questions where the merge is not certain, and the check of the answer."""
