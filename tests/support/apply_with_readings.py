"""`editahead apply` with a merge whose readings a test plans.

python apply_with_readings.py READINGS ARGUMENT...

READINGS is JSON: a list of `merge_with_readings.PlannedReading`.
"""

from __future__ import annotations

import json
import sys

from editahead_cli.main import main
from editahead_inference.apply.merge import merge
from merge_with_readings import merge_with_readings

if __name__ == "__main__":
    merge.merge = merge_with_readings(json.loads(sys.argv[1]))
    sys.exit(main(["apply", *sys.argv[2:]]))
