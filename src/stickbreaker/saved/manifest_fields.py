"""The valid values of each field of model.json, and of combinations of fields: one table for all readers.

Values of settings are checked by their estimator, in the same way for files and for users.
"""

import re
from collections.abc import Mapping
from pathlib import PurePath

from stickbreaker.core.json_checks import (
    JsonObject,
    Kind,
    is_amount,
    is_count,
    is_flag,
    is_nothing,
    is_number,
    is_positive,
    is_record,
    is_text,
    is_whole_number,
    list_of,
    mapping_of,
    one_of,
    optional,
    record_with,
    refuse_other_kinds,
    spelled,
)

SCHEMA = 1
VOCABULARY = "vocabulary.parquet"
DOCUMENTS = "documents.parquet"
METADATA_SUMS = "metadata-sums.parquet"
STATE = re.compile(r"state(-\d+)?\.safetensors")
KEYS = re.compile(r"keys-(\d+|state)\.json")
EVOLUTION = re.compile(r"evolution(-\d+)?\.parquet")
BLOCK = re.compile(r"(rows|records)-\d+-\w+/\d+\.(arrow|safetensors)")  # files of a run on a cluster
NAMES = (
    *(re.compile(re.escape(name)) for name in (VOCABULARY, DOCUMENTS, METADATA_SUMS)),
    STATE,
    KEYS,
    EVOLUTION,
    BLOCK,
)
DIGESTS = "trace_digests"  # true: each line of the trace has a digest of its own
UPDATES = "updates"  # documents that a finished model learned from later, see `Update`
MERGES = "merges"  # of topics after the fit: for each merge, the new number of each topic
SEARCH = "search"  # the finished runs of a search, see `FinishedRun.to_json`


def _is_path(value: object) -> bool:
    """Whether a value is valid as a run's corpus: "corpus" (in the model's directory) or an absolute path."""
    return is_text(value) and "\0" not in value and (value == "corpus" or PurePath(value).is_absolute())


def _is_start_of_pass(value: object) -> bool:
    """Whether a value is a pair of numbers: the steps done and the documents seen when a pass began."""
    return list_of(is_amount)(value) and len(value) == 2 and is_count(value[0])


def _are_columns(value: object) -> bool:
    """Whether a value is a pair: the columns' lasting numbers, and how many were ever assigned."""
    if not list_of(lambda _: True)(value) or len(value) != 2:
        return False
    numbers, given = value
    return list_of(is_count)(numbers) and is_count(given) and all(number < given for number in numbers)


_DIGEST = spelled("[0-9a-f]{32}")


def _is_update(value: object) -> bool:
    """Whether a value describes documents that a finished model learned from later (see `Update`)."""
    kinds = {"date": is_text, "documents": is_count, "total": is_count, "fingerprint": _DIGEST}
    if not record_with(kinds)(value) or value["documents"] > value["total"]:
        return False
    return optional(is_amount)(value.get("unseen_share"))


FIELDS: Mapping[str, Kind] = {
    "schema": lambda value: is_count(value) and value == SCHEMA,
    "stickbreaker": spelled("[0-9A-Za-z.+_-]{1,100}"),
    DIGESTS: lambda value: value is True,
    "status": one_of("running", "done"),
    "estimator": is_text,
    "settings": mapping_of(lambda value: True),
    "held_out": lambda value: is_amount(value) and value < 1.0,
    "corpus": is_record,
    "corpus_path": optional(_is_path),
    "run": is_record,
    "files": is_record,
}
OPTIONAL_FIELDS: Mapping[str, Kind] = {  # only in unfinished models, or in some kinds
    "trace_bytes": is_count,
    "small": mapping_of(record_with({"axes": list_of(is_text), "additive": is_flag, "fresh": is_number})),
    "columns": optional(_are_columns),
    "carried_since": optional(is_count),
    SEARCH: list_of(is_record),
    MERGES: list_of(list_of(is_count)),
    UPDATES: list_of(_is_update),
    "stream": is_record,
    "arriving": is_record,
}
# the number of threads is not a model's setting
SETTINGS: Mapping[str, Kind] = {"random_state": is_whole_number, "n_jobs": is_nothing}
CORPUS: Mapping[str, Kind] = {
    "fingerprint": spelled("([0-9a-f]{32})?"),  # empty for a stream at its start
    "kind": one_of("text", "bag"),
    "documents": is_count,
    "tokens": is_amount,
    "empty": is_count,
    "analysis": optional(is_record),
}
RUN: Mapping[str, Kind] = {
    "step": is_count,
    "passes": is_count,
    "seen": is_amount,
    "scores": list_of(is_number),
    "held_out": list_of(is_number),
    "converged": is_flag,
    "stopped": is_flag,
    "kind": one_of("bound", "estimate", "joint"),
}
RUN_IN_STEPS: Mapping[str, Kind] = {  # fields of runs by variational steps
    "in_pass": is_count,
    "at_pass_start": _is_start_of_pass,
    "pass_nats": is_number,
    "pass_tokens": is_amount,
}
STREAM: Mapping[str, Kind] = {  # the documents of `fit --stream`
    "inputs": list_of(is_text),
    "format": optional(is_text),
    "text_field": is_text,
    "id_field": optional(is_text),
    "on_error": one_of("fail", "skip"),
    "date_field": is_text,
    "snapshot_documents": is_positive,
    "snapshot_seconds": is_amount,
    "largest_text": is_positive,
    "date_format": optional(is_text),
    "separator": optional(is_text),
    "quotes": one_of("double", "none"),
}
ARRIVING: Mapping[str, Kind] = {  # the files of `stream`
    "directory": is_text,
    "text_field": is_text,
    "date_field": is_text,
    "files": optional(is_positive),
    "on_error": one_of("fail", "skip"),
    "batch": lambda value: is_whole_number(value) and -1 <= value < 1 << 63,
    "query": optional(is_text),
    "date_format": optional(is_text),
}
# parts of a manifest, each with its required and optional fields
PARTS: Mapping[str, tuple[Mapping[str, Kind], Mapping[str, Kind]]] = {
    "settings": (SETTINGS, {}),
    "corpus": (CORPUS, {"tags": list_of(is_text), "first": CORPUS["fingerprint"]}),
    "run": (RUN, RUN_IN_STEPS),
    "stream": (STREAM, {}),
    "arriving": (ARRIVING, {}),
}


def refuse_other_fields(manifest: JsonObject) -> None:
    """Raise ValueError naming what is invalid in a manifest (model.json): a field, or a file's name."""
    refuse_other_values(manifest)
    _refuse_other_files(manifest["files"])


def refuse_other_values(manifest: JsonObject) -> None:
    """Raise ValueError naming an invalid field of a manifest, or fields that contradict each other."""
    refuse_other_kinds(manifest, FIELDS)
    refuse_other_kinds(manifest, OPTIONAL_FIELDS, needed=False)
    for name, (needed, others) in PARTS.items():
        if name in manifest:
            refuse_other_kinds(manifest[name], needed)
            refuse_other_kinds(manifest[name], others, needed=False)
    run, corpus, done = manifest["run"], manifest["corpus"], manifest["status"] == "done"
    over = done or "stream" in manifest or "arriving" in manifest  # no corpus will be read again
    step, seen = run.get("at_pass_start", (0, 0.0))
    for wrong, problem in (
        (corpus["empty"] > corpus["documents"], "more documents without a word than documents"),
        (run["passes"] > run["step"], "more passes than steps"),
        (len(run["scores"]) > run["passes"], "more scores than passes"),
        ((manifest.get("carried_since") or 0) > run["passes"], "records carried from a later pass"),
        (len(run["held_out"]) > run["step"], "more held-out scores than steps"),
        (run.get("in_pass", 0) > run["step"] or step > run["step"], "a pass of more steps than the run"),
        (seen > run["seen"], "a pass that began after more documents than the run has seen"),
        (done and run.get("in_pass", 0) > 0, "a finished run in the midst of a pass"),
        (over and manifest["corpus_path"] is not None, "a corpus that nothing is learned from"),
    ):
        if wrong:
            raise ValueError(problem)


def _refuse_other_files(files: JsonObject) -> None:
    """Raise ValueError if a manifest names files that no model has, or lacks files that a model needs."""
    for name, entry in files.items():
        if not any(kind.fullmatch(name) for kind in NAMES):
            raise ValueError(f"it names a file {name[:100]!r}")
        kinds = {"bytes": is_count} if BLOCK.fullmatch(name) else {"bytes": is_count, "digest": _DIGEST}
        if not record_with(kinds)(entry):
            raise ValueError(f"no size and digest of {name}")
    if sum(STATE.fullmatch(name) is not None for name in files) != 1:
        raise ValueError("it names no state, or two")
    if VOCABULARY not in files:
        raise ValueError("it names no vocabulary")
