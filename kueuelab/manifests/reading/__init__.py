"""Reading text: YAML and JSON to plain data, and back to lines and columns."""
