"""Files in folders that are not plain texts, and JSON that is not in lines."""

import pytest

from stickbreaker import Corpus, UserError
from stickbreaker.corpus import ReadingOptions

MARKED_UP = ("xml", "sgm", "mbox", "eml", "ipynb", "ris", "cha", "srt")


@pytest.mark.parametrize("ending", [*MARKED_UP, "json"])
def test_mark_up_is_refused_by_name_in_a_folder_as_alone(tmp_path, ending):
    (tmp_path / "a.txt").write_text("A cat sat.")
    other = tmp_path / f"b.{ending}"
    other.write_text("<TEXT>Two dogs ran.</TEXT>")
    for given in [tmp_path] if ending == "json" else [tmp_path, other]:
        with pytest.raises(UserError, match=rf"b\.{ending}: (is .*, not plain text|holds many documents)"):
            Corpus.build(given)
    skipping = Corpus.build(tmp_path, reading=ReadingOptions(on_error="skip"))
    assert [one.id for one in skipping] == ["a.txt"]
    assert sum(skipping.skipped.values()) == 1
    assert "<TEXT>" in Corpus.build(tmp_path, reading=ReadingOptions(format="files"))[1].text


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        ('[\n  {"text": "a cat"}\n]\n', r"jq -c '\.\[\]' FILE"),
        ('[{"text": "a cat"}, {"text": "a dog"}]', r"jq -c '\.\[\]' FILE"),
        ('{\n  "text": "a cat"\n}\n', r"jq -c \. FILE"),
    ],
)
def test_json_that_is_not_in_lines_names_the_remedy(tmp_path, content, remedy):
    (tmp_path / "posts.json").write_text(content)
    with pytest.raises(UserError, match=rf"posts\.json:1: .*the line is .*{remedy} > NEW\.jsonl"):
        Corpus.build(tmp_path / "posts.json")
