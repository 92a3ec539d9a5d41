"""What keeps a loop turning."""
