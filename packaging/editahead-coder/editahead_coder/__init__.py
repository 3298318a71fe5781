"""The adapter of editahead-coder, as files: `editahead_inference.backends.local.small_model` reads them."""
