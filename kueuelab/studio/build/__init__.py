"""Building a scenario: a draft whose text is the one truth, and the page that edits it."""
