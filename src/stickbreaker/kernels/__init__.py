"""Compiled inner loops: arrays in, arrays out, one algorithm per file.

Every function here is compiled by numba on its first call and cached on disk. `fastmath` is limited to
re-association and contraction, so that sums vectorise and NaN stays NaN. Results are the same for any number
of threads, because a thread works on whole shards.
"""

import os
import re
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).parent


def drop_stale_caches(*folders: Path) -> None:
    """Delete numba's cached kernels below `folders` if classes there have changed since the last call.

    Called on import, before any kernel. Numba names the classes of arguments by their modules, and cannot
    read its own index if these are gone, as after an upgrade. Only the names of files and classes are
    compared, with those in the file `__pycache__/classes` of the first folder. A folder that cannot be
    written is left as it is.
    """
    mark = folders[0] / "__pycache__" / "classes"
    above = folders[0].parent
    sources = sorted(source for folder in folders for source in folder.rglob("*.py"))
    classes = [re.findall(r"^class (\w+)", source.read_text("utf-8"), re.MULTILINE) for source in sources]
    names = [os.path.relpath(source, above) for source in sources]
    now = repr(list(zip(names, classes, strict=True)))
    with suppress(OSError):
        if mark.exists() and mark.read_text("utf-8") == now:
            return
        for folder in folders:
            for cache in folder.rglob("__pycache__/*.nb[ic]"):
                cache.unlink(missing_ok=True)
        mark.parent.mkdir(exist_ok=True)
        mark.write_text(now, "utf-8")


drop_stale_caches(HERE, *sorted(set(HERE.parent.glob("*/kernels")) - {HERE}))
