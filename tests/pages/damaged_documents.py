"""Copies of models whose documents.parquet is damaged, for the tests of readers."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq

from stickbreaker.core.files import digest_of
from stickbreaker.saved.manifest import encoded


def damaged(model, out, wrong, change, figures):
    """A copy of a model at `out` whose documents are wrong in some way that its manifest does not show.

    change (rows, wrong): the rows of the file as they are then. Of every file: "a column" has another name,
    there are "no figures", or "other figures" (a dict), or it is "no file of tables".
    """
    shutil.copytree(model, out)
    file = out / "documents.parquet"
    table = pq.read_table(file)
    if wrong == "a column":
        changed = table.rename_columns([*table.column_names[:-1], "others"])
    elif wrong in ("no figures", "other figures"):
        held = {"stickbreaker": json.dumps(figures)} if wrong == "other figures" else None
        changed = table.replace_schema_metadata(held)
    else:
        changed = pa.Table.from_pylist(change(table.to_pylist(), wrong), schema=table.schema)
    pq.write_table(changed, file)
    if wrong == "no file of tables":
        file.write_bytes(b"PAR1 nothing of the kind PAR1")
    manifest = json.loads((out / "model.json").read_text())
    manifest["files"][file.name] = {"bytes": file.stat().st_size, "digest": digest_of(file)}
    del manifest["digest"]
    (out / "model.json").write_bytes(encoded(manifest))
    return out
