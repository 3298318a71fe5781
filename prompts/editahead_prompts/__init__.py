"""Pure text and edits: snapshots, the edit algebra, the history, states. No I/O, no clock, no LSP."""
