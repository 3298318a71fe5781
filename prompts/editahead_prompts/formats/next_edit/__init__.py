"""The prompt formats of next-edit models, one module each."""
