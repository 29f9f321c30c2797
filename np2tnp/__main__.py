"""``python -m np2tnp``, and where the command ``np2tnp`` begins."""

import sys

from np2tnp import importing

sys.path[:] = importing.path_without_projects(sys.argv[1:])  # before anything else is imported

from np2tnp.cli import main  # noqa: E402

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
