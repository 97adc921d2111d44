"""Where a run happens: an engine owns the table of counts, and runs local steps over shards of documents."""

from stickbreaker.core.errors import Interrupted
from stickbreaker.engines.engine import Cluster, Engine
from stickbreaker.engines.local import LocalEngine

__all__ = ["Cluster", "Engine", "Interrupted", "LocalEngine"]
