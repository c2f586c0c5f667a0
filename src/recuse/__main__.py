"""``python -m recuse``."""

import sys

from recuse.cli import main

if __name__ == "__main__":
    sys.exit(main())
