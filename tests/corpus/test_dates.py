"""A whole value is a date, or none is."""

import json
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stickbreaker.core.errors import UserError
from stickbreaker.corpus import Corpus, ReadingOptions
from stickbreaker.corpus.text.dates import ISO_DATE, date_of, date_reader, is_date_name, iso_date

DAYS = st.dates(date(1000, 1, 1), date(2199, 12, 31))
CLOCKS = ["", "T10:00", " 10:00:59.123456789+00:00", ", 4:05 PM", " 00:03:53 GMT", " 10:39:00 -0700 (PDT)"]
FORMS = (
    *(
        "%Y-%m-%d",
        "%Y/%m/%d",
        "%d.%m.%Y",
        "%d %B %Y",
        "%d,%b,%Y",
        "%B %d, %Y",
        "%a, %d %b %Y",
        "%A, %B %d, %Y",
    ),
)
NAMES = ["jan", "may", "sept", "december", "mon", "tue", "pm", "am", "t", "z", "w", "q", "utc", "gmt"]


@given(DAYS, st.sampled_from(FORMS), st.sampled_from(CLOCKS))
def test_days_in_many_forms(day, form, clock):
    assert date_of(f" {day.strftime(form).replace(str(day.year), f'{day.year:04d}')}{clock}") == day


@given(DAYS)
def test_parts_of_years(day):
    first = date(day.year, 3 * ((day.month - 1) // 3) + 1, 1)
    quarter = (day.month + 2) // 3
    for text in (
        f"{day.year}Q{quarter}",
        f"{day.year}-Q{quarter}",
        f"Q{quarter} {day.year}",
        f"q{quarter}/{day.year}",
    ):
        assert date_of(text) == first
    year, week, weekday = day.isocalendar()
    if 1000 <= year < 2200:
        assert date_of(f"{year}-W{week:02d}-{weekday}") == date_of(f"{year}W{week:02d}{weekday}") == day
        assert date_of(f"{year}-W{week:02d}") == date.fromisocalendar(year, week, 1)
    assert date_of(f"{day.year}-{day.timetuple().tm_yday:03d}") == day
    assert date_of(f"{day.year}-{day.month:02d}") == day.replace(day=1)
    assert date_of(day.year) == date_of(str(day.year)) == date_of(float(day.year)) == date(day.year, 1, 1)


@pytest.mark.parametrize(
    "value",
    [
        *("1100 Main Street", "2015Q5", "2015-W54", "2015-366", "2015-13", "2015-02-30", "2015-01-02 25:00"),
        *(
            "2015/01-02",
            "Mayor 2004",
            "Marching 2004",
            "5/6/2004",
            "May 2004 and later",
            "2015-01-02x",
            "201",
            "20150",
        ),
        *(
            "2015Q1 report",
            "Room 27.5.2004",
            "1.27.2004",
            "12 2004",
            "0999",
            "2200",
            "",
            "-2015",
            "Q1",
            "²015",
            "W03",
        ),
        *("2015-Q12", "2015-W3", "2015-01-02T", "Wed Oct 10 20:19:24 +0000 2018", "9" * 5_000),
        *(1999.5, 999, 2200, -2015, 10**30, 1e300, True, None, ["2015"]),
    ],
)
def test_what_is_no_date(value):
    assert date_of(value) is None


@given(DAYS, st.sampled_from(FORMS), st.text("ax%&°", min_size=1, max_size=5), st.booleans())
def test_more_than_a_date_is_none(day, form, more, before):
    text = day.strftime(form)
    assert date_of(more + text if before else text + more) is None


@given(st.text() | st.lists(st.sampled_from([*NAMES, *"0123456789- :.,/+()TQW"])).map("".join))
def test_any_text_is_a_date_or_none(text):
    found = date_of(text)
    assert found is None or 1000 <= found.year < 2200
    written = iso_date(text)
    assert (written is None) == (found is None)
    assert written is None or (ISO_DATE.fullmatch(written) and date_of(written) == found)


@given(st.datetimes(datetime(1000, 1, 2), datetime(2199, 12, 30), timezones=st.just(UTC)))
def test_dates_on_request(moment):
    seconds = int(moment.timestamp())
    if abs(seconds) >= 10_000:
        assert date_reader("epoch")(seconds) == date_reader("epoch")(str(seconds)) == moment.date()
        assert (
            date_reader("epoch-ms")(seconds * 1000)
            == date_reader("epoch-ms")(seconds * 1000.0)
            == moment.date()
        )
    assert date_reader("%d/%m/%Y")(f"{moment:%d/%m}/{moment.year:04d}") == moment.date()
    twitter = f"{moment:%a %b %d %H:%M:%S} +0000 {moment.year:04d}"
    assert date_reader("twitter")(twitter) == moment.date()
    assert date_reader("twitter")(twitter + " x") is None


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()))
def test_any_value_on_request(value):
    for form in ("epoch", "epoch-ms", "twitter", "%Y%m%d"):
        found = date_reader(form)(value)
        assert found is None or 1000 <= found.year < 2200


@pytest.mark.parametrize("form", ["%d.%m", "when", "%Q", "", "%s", "EPOCH", "created=when"])
def test_what_is_no_form(form):
    with pytest.raises(
        UserError, match=r"unknown date format .*; take epoch, epoch-ms, twitter or a form of strptime"
    ):
        ReadingOptions(date_format=form)


def test_names_of_dates():
    yes = "date Date YEAR time created_at createdAt published dateCreated pub_date pubDate release-year"
    no = "price n_years time_on_page update daytime dated meta id sentence _ 7 birthday yearling"
    assert all(map(is_date_name, [*yes.split(), "created_utc", "publication year"]))
    assert not any(map(is_date_name, no.split()))


def test_a_corpus_of_dates_in_a_format(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [{"text": "a cat", "created_utc": 1539202764, "year": 1999, "n": 1539202764, "date": "Q1 2015"}]
    rows.append({"text": "a dog", "created_utc": "1539202764", "year": None})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def metadata(form):
        corpus = Corpus.build(path, reading=ReadingOptions(date_format=form))
        return [one.metadata for one in corpus.documents(0)]

    first, second = metadata("epoch")
    assert first == {"created_utc": "2018-10-10", "year": 1999, "n": 1539202764, "date": "Q1 2015"}
    assert second == {"created_utc": "2018-10-10", "year": None}
    assert metadata("n=epoch")[0]["n"] == "2018-10-10"
    assert metadata("n=epoch")[0]["created_utc"] == 1539202764
    with pytest.raises(UserError, match="no document has a date of the format 'twitter' in a field with"):
        metadata("twitter")
    with pytest.raises(
        UserError, match="no document has a date of the format 'm=epoch' in the field 'm'; check"
    ):
        metadata("m=epoch")


def test_a_table_of_dates_in_a_format():
    import pyarrow as pa

    table = pa.table({"text": ["a cat", "a dog"], "posted": ["31/12/1999", "1/2/2000"]})
    corpus = Corpus.from_frame(table, date_format="%d/%m/%Y")
    assert [one.metadata["posted"] for one in corpus.documents(0)] == ["1999-12-31", "2000-02-01"]
