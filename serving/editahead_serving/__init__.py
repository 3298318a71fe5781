"""Start and supervise vLLM. This package knows neither LSP nor prompts, and never imports vLLM itself."""
