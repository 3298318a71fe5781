"""Search by meaning: texts as vectors, vectors beside the index, and the search for the nearest ones."""
