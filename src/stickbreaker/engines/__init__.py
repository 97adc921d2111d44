"""The place where a run happens: an engine owns the table of counts and maps local steps over shards."""

from stickbreaker.core.errors import Interrupted
from stickbreaker.engines.engine import Engine
from stickbreaker.engines.local import LocalEngine

__all__ = ["Engine", "Interrupted", "LocalEngine"]
