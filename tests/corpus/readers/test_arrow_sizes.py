"""Sizes of decoded batches of Arrow's format, against those of the batches themselves."""

import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tiers import sampled

from stickbreaker import Corpus, UserError
from stickbreaker.corpus.readers.arrow_sizes import decoded_sizes

TABLE = pa.table(
    {
        "text": ["a river", "a bank " * 500, None],
        "tags": [["x"], [], None],
        "group": pa.array(["u", "v", "u"]).dictionary_encode(),
        "n": [1, 2, 3],
    }
)


def written(table, compression, whole):
    out = io.BytesIO()
    open_one = pa.ipc.new_file if whole else pa.ipc.new_stream
    with open_one(out, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as file:
        file.write_table(table)
    return out.getvalue()


def size_of(batch):
    """Bytes of the buffers of a batch, but of its dictionaries."""
    buffers = [one for column in batch.columns for one in getattr(column, "indices", column).buffers()]
    return sum(one.size for one in buffers if one is not None)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_sizes_are_those_of_the_buffers(compression, whole):
    content = written(TABLE, compression, whole)
    sizes = [decoded for _, decoded in decoded_sizes(io.BytesIO(content))]
    batch = (
        (pa.ipc.open_file if whole else pa.ipc.open_stream)(io.BytesIO(content)).read_all().to_batches()[0]
    )
    assert len(sizes) == 2, "the dictionary and the batch"
    assert sizes[-1] == pytest.approx(size_of(batch), abs=64)  # buffers are padded, or empty


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_not_compressed_is_as_it_lies_there(whole):
    for size, decoded in decoded_sizes(io.BytesIO(written(TABLE, None, whole))):
        assert size == decoded > 0


@given(st.data())
def test_damaged_bytes_are_an_error_or_another_size(data):
    content = bytearray(written(TABLE, "lz4", whole=False))
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=8)):
        content[place] = data.draw(st.integers(0, 255))
    try:
        sizes = list(decoded_sizes(io.BytesIO(bytes(content))))
    except (ValueError, OSError, pa.ArrowException):
        return
    assert all(size >= 0 for size, _ in sizes)


@pytest.mark.long("writes values of hundreds of megabytes")
@pytest.mark.parametrize("name", sampled(["a.arrow", "a.feather"], 1))
def test_a_small_file_of_huge_values_is_refused_before_it_is_decoded(tmp_path, name):
    long = "x" * 30_000_000
    table = pa.table({"text": ["a river bank"] * 20, "page": [long] * 20})
    path = tmp_path / name
    path.write_bytes(written(table, "zstd", whole=True))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(
        UserError, match=r"a batch of 0\.6 GB, packed into 0\.\d MB, is not decoded"
    ) as caught:
        Corpus.build([path])
    assert str(path) in str(caught.value)
