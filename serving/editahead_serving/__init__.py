"""Start and supervise vLLM; know neither LSP nor prompts, and never import vLLM itself."""
