"""A model in this process, with lossless drafts and a KV cache for each session."""
