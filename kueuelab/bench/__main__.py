"""``python -m kueuelab.bench GROUP FOLDER``: measures of a dump, one row on each line."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from kueuelab.bench.dump import measure_group

for each in measure_group(sys.argv[1], Path(sys.argv[2])):
    sys.stdout.write(json.dumps(asdict(each)) + "\n")
    sys.stdout.flush()
