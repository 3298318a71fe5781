"""The prompt formats of Apply models, one module each."""
