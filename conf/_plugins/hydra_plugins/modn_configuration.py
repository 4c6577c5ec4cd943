"""What `dvc exp run` imports before it composes conf/: our schema, checks and resolver."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from stages.config import composition

composition.register()
