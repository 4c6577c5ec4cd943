"""`python -m modn` is the command `modn`."""

import sys

from modn.cli import main

sys.exit(main())
