"""What all tests share: the project's root, first on the path, so that `modn` and `stages` are its own."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
