"""Notebooks: the cells of one language are one document for the rest of the server, and messages are put into its lines."""
