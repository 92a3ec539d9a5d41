"""The page of widgets that builds, until the app has one."""
