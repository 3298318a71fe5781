"""Apply: from a sketch of a change to the exact edit of a file, or a refusal with its reason."""
