"""`stickbreaker search-k`: fit several numbers of topics, score each alike, suggest one."""

from functools import partial
from pathlib import Path

import click

from stickbreaker.console.console import INPUT, PATH, command, note, option, tell_of_compiling
from stickbreaker.console.faces import settings_for, show, verb_options
from stickbreaker.estimators.kinds import kinds


def numbers_of_topics(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    """A click callback that reads numbers of topics from a value such as "10,20,40": without repetition,
    ascending; None stays None. Raises a usage error unless all are whole numbers of at least 1.
    """
    if value is None:
        return None
    try:
        numbers = sorted({int(part) for part in value.split(",")})
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of whole numbers, such as 10,20,40") from None
    if numbers[0] < 1:
        raise click.BadParameter(f"{numbers[0]} topics; give 1 or more")
    return tuple(numbers)


@click.command(
    "search-k", epilog="Example: stickbreaker search-k posts.corpus --topics 10,20,40 --out posts.search"
)
@click.argument("corpus", type=INPUT)
@verb_options("search-k", topics={"default": None, "callback": numbers_of_topics})
@option("--out", required=True, type=PATH, help="Directory of the search.")
@command
def search_k(corpus: str, out: Path, as_json: bool, **options: object) -> None:
    """Choose the number of topics: fit each with several seeds, and score them on documents held out.

    The suggestion is the largest number of which even the weakest quarter of topics holds: words that one
    half of the documents chose go together in the other half (smoothed NPMI of 0 or more, and at least half
    of the best number's). It is less if fewer predict the held-out documents as well as the best. Which
    numbers read best and which predicts best is said too; diversity and how much the seeds agree are shown.
    Without --topics, numbers are doubled as long as the largest holds. The directory OUT gets search.json; a
    page with the figures, search.html; the documents that runs learn from, training.corpus; and the models:
    each is the one that `fit lda` learns from training.corpus. The same command continues after an
    interruption: finished models are kept, and you may add numbers or seeds.
    """
    from stickbreaker.console.running import end_run
    from stickbreaker.corpus import Corpus
    from stickbreaker.topics.verbs.search_topics import search_topics
    from stickbreaker.topics.verbs.settings import SearchSettings

    settings = SearchSettings(**settings_for("search-k", kinds()["LDA"], options))  # pyright: ignore[reportArgumentType]
    tell_of_compiling()
    remedy = "the same command continues from here"
    learn = partial(end_run, every=60.0, threads=settings.n_jobs, remedy=remedy)
    show(search_topics(Corpus.open(corpus).named(corpus), settings, out, learn=learn, note=note), as_json)
