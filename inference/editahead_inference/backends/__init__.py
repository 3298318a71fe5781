"""Where a prompt becomes tokens: servers that speak OpenAI's protocol, a model in this process, a script for tests."""
