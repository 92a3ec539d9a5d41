"""What the tests of this room share: a stand-in for an API server (see `stand_in`)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
