"""Files that the lab reads and writes: what may be read, how it is written, and its format."""

from __future__ import annotations

from kueuelab.files.folders import Part, parts_of
from kueuelab.files.formats import RUN_FORMAT, SNAPSHOT, Format, Upgrade, read_json, write_json
from kueuelab.files.kustomize import Kustomize, Rendered, folders_used, render
from kueuelab.files.reading import check_regular, read_bytes, read_stream, reading
from kueuelab.files.writing import check_ending, put_aside, replacing, write_text

__all__ = [
    "RUN_FORMAT",
    "SNAPSHOT",
    "Format",
    "Kustomize",
    "Part",
    "Rendered",
    "Upgrade",
    "check_ending",
    "check_regular",
    "folders_used",
    "parts_of",
    "put_aside",
    "read_bytes",
    "read_json",
    "read_stream",
    "reading",
    "render",
    "replacing",
    "write_json",
    "write_text",
]
