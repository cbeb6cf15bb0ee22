"""`python -m statemachines`: the command line without its console script."""

import sys

from statemachines.cli import main

sys.exit(main())
