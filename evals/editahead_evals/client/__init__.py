"""An LSP client that acts as an editor."""
