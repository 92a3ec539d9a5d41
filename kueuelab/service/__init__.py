"""What programs ask: the answers of the session and of forecasts over HTTP and MCP, read-only."""
