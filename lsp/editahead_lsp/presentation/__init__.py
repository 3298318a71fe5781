"""From a suggestion to LSP shapes, in the encoding agreed on with the client."""
