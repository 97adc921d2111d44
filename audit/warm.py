"""Imported by the server that starts children: they begin with modules imported and kernels loaded."""

import sys

from audit.verbs import rehearse

try:
    rehearse()
except BaseException as error:
    print(f"the server could not run every verb: {error!r}", file=sys.stderr)
