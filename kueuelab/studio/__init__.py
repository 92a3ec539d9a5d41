"""Pages of widgets that the app does not have yet: clusters, exercises."""
