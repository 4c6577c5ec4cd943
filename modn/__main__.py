"""`python -m modn` is the command `modn`."""

import sys

from modn.cli import main

if __name__ == "__main__":
    sys.exit(main())
