"""What agents may ask for: the tools of the MCP server, as plain functions and over the protocol."""
