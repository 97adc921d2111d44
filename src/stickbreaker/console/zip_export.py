"""`stickbreaker export --format zip`: a model, or a system that uses models, as one file."""

from stickbreaker.console.requests import ExportRequest
from stickbreaker.core.json_checks import JsonObject


def write_zip(asked: ExportRequest) -> tuple[JsonObject, str]:
    """Export a model or system as one zip file; returns {"bytes": its size}, and a line for the user."""
    from stickbreaker.estimators.kinds import object_at, system_at
    from stickbreaker.saved.packed_models import pack, pack_folder

    system = system_at(asked.model)
    if system is None or system.marker is None:
        size = pack(asked.model, asked.out, overwrite=asked.overwrite)
        return {"bytes": size}, f"the model as one file, {size / 1e6:,.1f} MB"
    if system.load is not None:
        object_at(system.load)(asked.model)  # refuses a damaged one
    size = pack_folder(asked.model, system.marker, asked.out, overwrite=asked.overwrite)
    return {"bytes": size}, f"the {system.noun} as one file, {size / 1e6:,.1f} MB"
