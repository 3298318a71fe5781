"""From a sketch of a change to the exact edit of the file, or a refusal that says why."""
