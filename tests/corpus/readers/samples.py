"""Small files of several formats, in which nothing is wrong."""

import datetime as dt
import decimal
import io

import pyarrow as pa
from pyarrow import feather, parquet

UCI = b"4\n3\n4\n2 1 5\n2 3 1\n\n3 2 7\n3 1 1\n"
BANNER = b"%%MatrixMarket matrix coordinate real general\n"

BERLIN = dt.timezone(dt.timedelta(hours=1))
TABLE = pa.table(
    {
        "id": pa.array(["a", "b", "c"]).dictionary_encode(),
        "text": ["one cat", "two dogs", "a bird"],
        "words": [["one", "cat"], [], ["bird"]],
        "day": [dt.date(1988, 2, 12), None, dt.date(2020, 1, 1)],
        "when": pa.array([dt.datetime(1988, 2, 12, 10, 30)] * 3, pa.timestamp("ns")),
        "zoned": pa.array([dt.datetime(1988, 2, 12, 10, tzinfo=BERLIN)] * 3, pa.timestamp("us", "+01:00")),
        "price": pa.array([decimal.Decimal("1.50")] * 3),
        "count": pa.array([1, 2, 3], pa.int16()),
        "share": [0.5, float("nan"), 1.0],
        "good": [True, False, None],
        "vector": [[0.1, 0.2]] * 3,
        "__index_level_0__": [4, 5, 6],
    }
)


def parquet_of(table: pa.Table) -> bytes:
    out = io.BytesIO()
    parquet.write_table(table, out, row_group_size=2)
    return out.getvalue()


def file_of(table: pa.Table) -> bytes:
    out = io.BytesIO()
    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return out.getvalue()


def stream_of(table: pa.Table) -> bytes:
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return out.getvalue()


def feather_of(table: pa.Table) -> bytes:
    out = io.BytesIO()
    feather.write_feather(table, out)
    return out.getvalue()


def word(number: str | int, form: str, lemma: str = "_", misc: str = "_") -> str:
    return f"{number}\t{form}\t{lemma}\t_\t_\t_\t_\t_\t_\t{misc}\n"


FRENCH = (
    "# newdoc id = one\n# meta::genre = news = wire\n# sent_id = 1\n# newpar\n# text = «Du pain!»\n"
    + word(1, "«", "«")
    + word("2-3", "Du", "_", "X=1")
    + word(2, "de", "de")
    + word(3, "le", "le")
    + word(4, "pain", "pain")
    + word("4.1", "est", "être")
    + word(5, "!", "_")
    + word(6, "»", "»")
    + "\n# newpar id = p2\n"
    + word(1, "Oui", "oui", "A=b|SpaceAfter=No")
    + word(2, ".", ".")
    + "\n\n# text = nothing like it\r\n"
    + word(1, "in spite of", "_")
    + word("2-3", "du", "_", "SpaceAfter=No")
    + word(2, "de", "de")
    + word(3, "le", "le")
    + word(4, "_", "_")
    + "\n# newdoc\n# text = Fin\n"
    + word(1, "Fin", "fin")
)
