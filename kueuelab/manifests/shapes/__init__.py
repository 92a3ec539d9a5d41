"""What fields may hold: one set of tables, read by the server's verdicts and by the lab's check."""
