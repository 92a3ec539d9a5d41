"""What serves the app: its front end, and the server of this machine."""
