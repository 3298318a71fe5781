"""`python -m editahead_lsp` is `editahead`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
