"""The training of the next-edit model: architecture, optimizer, loop, export."""
