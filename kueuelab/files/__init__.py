"""Files that the lab reads and writes: what may be read, how it is written, and its format."""

from __future__ import annotations

from kueuelab.files.formats import RUN_FORMAT, SNAPSHOT, Format, Upgrade, read_json, write_json
from kueuelab.files.reading import check_regular, read_bytes, reading
from kueuelab.files.writing import check_ending, put_aside, replacing, write_text

__all__ = [
    "RUN_FORMAT",
    "SNAPSHOT",
    "Format",
    "Upgrade",
    "check_ending",
    "check_regular",
    "put_aside",
    "read_bytes",
    "read_json",
    "reading",
    "replacing",
    "write_json",
    "write_text",
]
