"""The protocol of the app: commands and answers as data, one handler for every engine.

A page sends a :mod:`command <kueuelab.session.commands>` and gets an
:mod:`answer <kueuelab.session.answers>` or an error with place and hint. What is open is a
:class:`~kueuelab.session.session.Session`, a value: each edit makes a new one, so that undo and
redo are steps through :class:`~kueuelab.session.history.History`. The same commands give the same
bytes in every engine: on this machine, in a browser, in a notebook.
"""
