"""The mirror of the client's documents: texts, positions, URIs, exclusions, diagnostics."""
