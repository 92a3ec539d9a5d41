"""Building a scenario: a draft whose text is the one truth, and edits of it.

A draft is text; what is edited in a form or a tree changes only the lines that it is about.
"""
