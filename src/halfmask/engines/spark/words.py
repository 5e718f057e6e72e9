"""Words: what went wrong on a cluster, as one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from halfmask.errors import BadInput, HalfmaskError

_OURS = re.compile(r"halfmask\.errors\.(?:BadInput|UnknownName|NotMeasurable): (.+)")
_KNOWN: tuple[tuple[str, str], ...] = (
    (
        r"No module named 'halfmask",
        (
            "Spark's executors do not have halfmask; install the same version on every machine, or "
            "send an environment with it (see docs/spark.md)."
        ),
    ),
    (
        r"No space left on device",
        (
            "A disk of the cluster is full; nothing was published. Free space where Spark writes "
            "(spark.local.dir) and where the release goes."
        ),
    ),
    (
        r"Permission denied|AccessControlException|AccessDenied",
        (
            "Spark may not read the table, or may not write where the release is to go; nothing "
            "was published."
        ),
    ),
    (
        r"[Nn]ot a directory|Mkdirs failed|ParentNotDirectory",
        "The place where the release is to go cannot be a folder; name another (--output).",
    ),
    (
        r"PATH_NOT_FOUND|Path does not exist",
        ("There is no table at the place that was named."),
    ),
    (
        r"TABLE_OR_VIEW_NOT_FOUND|Table or view not found",
        (
            "Spark's catalogue has no table of the name that was given; a file is named by its "
            "path, with a / or an ending such as .parquet."
        ),
    ),
    (
        r"CANNOT_READ_FILE_FOOTER|is not a Parquet file|Malformed ORC file",
        "What was named is neither Parquet nor ORC; publish it without --engine spark.",
    ),
    (
        r"UNABLE_TO_INFER_SCHEMA",
        ("There is no table in the folder that was named, only other files or none."),
    ),
    (
        r"DATA_SOURCE_NOT_FOUND.*delta|Failed to find the data source: delta",
        (
            "A Delta table is read with Delta's package; start Spark with it (--packages "
            "io.delta:delta-spark_2.13:4.0.0)."
        ),
    ),
    (
        r"OutOfMemoryError|MemoryError|exit code 137",
        (
            "A machine of the cluster ran out of memory; give executors more "
            "(spark.executor.memoryOverhead), or the table more partitions."
        ),
    ),
)


@contextmanager
def in_words() -> Iterator[None]:
    """Say what an error of Spark means, where that is known; its own text stays beside it."""
    try:
        yield
    except HalfmaskError:
        raise
    except Exception as error:
        sentence = sentence_of(str(error))
        if sentence is None:
            raise
        raise BadInput(sentence) from error


def sentence_of(text: str) -> str | None:
    """The sentence for what Spark says; none where it is not known.

    >>> sentence_of("... halfmask.errors.BadInput: Column 'x' is odd.")
    "Column 'x' is odd."
    >>> sentence_of("java.io.IOException: No space left on device")
    'A disk of the cluster is full; nothing was published. ...'
    """
    ours = _OURS.findall(text)
    if ours:
        return str(ours[-1]).strip()
    return next((words for look, words in _KNOWN if re.search(look, text, re.DOTALL)), None)
