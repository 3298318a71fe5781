"""The merge of a sketch into a file without a model, and its verification."""
