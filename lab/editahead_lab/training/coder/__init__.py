"""Examples for the adapter of `editahead-coder`, its training, and what it does on held-out examples."""
