"""What Kueue's webhooks refuse, kind by kind, in their words.

Each module has functions that take objects as Go reads them: quantities as canonical text,
and every field there that Go always writes.
"""
