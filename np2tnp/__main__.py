"""``python -m np2tnp``."""

from __future__ import annotations

import sys

from np2tnp.cli import main

if __name__ == "__main__":
    sys.exit(main())
