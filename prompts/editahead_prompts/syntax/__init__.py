"""Languages: their grammars, and what the nodes of a syntax tree mean, for all who read code."""
