"""From files, folders and text to objects: reading, checking, converting, collecting."""
