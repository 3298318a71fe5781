"""`python -m editahead_cli` is `editahead`."""

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main())
