"""Rows as frames of pandas or polars, whichever is installed, else as lists of dicts."""

import importlib.util
import json


def frame(rows, kind=None):
    """A frame of rows; `kind` is "pandas", "polars" or "dicts", by default the first that is installed."""
    if kind is None:
        kind = next((name for name in ("pandas", "polars") if importlib.util.find_spec(name)), "dicts")
    if kind == "dicts":
        return rows
    if kind == "pandas":
        import pandas

        return pandas.DataFrame.from_records([_flat(row) for row in rows])
    if kind == "polars":
        import polars

        flat = [{name: _text(value) for name, value in _flat(row).items()} for row in rows]
        return polars.from_dicts(flat, infer_schema_length=None) if flat else polars.DataFrame()
    raise ValueError(f"frames are pandas, polars or dicts, not {kind!r}")


def _flat(row):
    """A row whose objects are spread over columns, as `facets.task`."""
    flat = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat.update({f"{name}.{inner}": one for inner, one in _flat(value).items()})
        else:
            flat[name] = value
    return flat


def _text(value):
    """Lists of lists or objects as JSON: their kinds differ from row to row, which no column of polars holds."""
    if isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
        return json.dumps(value, ensure_ascii=False)
    return value
