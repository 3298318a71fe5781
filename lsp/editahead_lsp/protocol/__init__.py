"""The messages as values: LSP types, Editahead's own messages, and the converter from and to JSON."""
