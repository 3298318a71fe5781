"""Text, edits, history and prompts as pure values: no I/O, no clock, no LSP."""
