"""The training of the search's encoder: pairs of texts that belong together, and models that bring them near."""
