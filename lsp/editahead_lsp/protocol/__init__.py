"""What goes over the wire, as values: LSP types, custom messages, the converter."""
