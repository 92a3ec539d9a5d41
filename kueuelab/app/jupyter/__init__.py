"""The app as a page of a Jupyter server."""
