"""Session: a running Spark, and the table that is named."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from halfmask.engines.spark.words import in_words
from halfmask.errors import BadInput
from halfmask.io.extras import needs

LEAST_SPARK = 4
FORMATS = ("parquet", "orc", "delta")


def check_spark() -> Any:
    """PySpark, or a sentence about what is missing."""
    pyspark = needs("pyspark", "spark", "To publish with Spark")
    check_version(pyspark.__version__)
    return pyspark


def check_version(version: str) -> None:
    """Refuse a Spark that is too old.

    >>> check_version("3.5.1")
    Traceback (most recent call last):
    halfmask.errors.BadInput: Spark 4 or newer is needed, and this is Spark 3.5.1.
    """
    if int(version.split(".", maxsplit=1)[0]) < LEAST_SPARK:
        raise BadInput(f"Spark {LEAST_SPARK} or newer is needed, and this is Spark {version}.")


def check_java() -> None:
    """Refuse to start where there is no Java."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java") if home is None else shutil.which("java", path=f"{home}/bin")
    if found is None:
        raise BadInput(
            "Spark needs Java 17 or newer, and none was found; install it (Debian: apt install "
            "openjdk-17-jre-headless), or say where it is (JAVA_HOME)."
        )


def running_session() -> Any:
    """The Spark that runs this program, or a new one on this machine."""
    check_spark()
    check_java()
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with in_words():
        builder = SparkSession.builder.appName("halfmask")
        if "SPARK_MASTER" not in os.environ and "MASTER" not in os.environ:
            builder = builder.config("spark.ui.showConsoleProgress", "false")
        return builder.getOrCreate()


def check_frame(frame: Any) -> Any:
    """The session of a dataframe; what is none of Spark's is refused."""
    check_spark()
    from pyspark.sql import DataFrame

    if not isinstance(frame, DataFrame):
        raise BadInput(
            f"halfmask.spark publishes a dataframe of Spark, not a {type(frame).__name__}; other "
            "tables are published by halfmask.publish."
        )
    session = frame.sparkSession
    if not hasattr(session, "sparkContext") or type(session).__module__.startswith(
        "pyspark.sql.connect"
    ):
        raise BadInput(
            "A session of Spark Connect cannot run halfmask, whose sums are made by the cluster "
            "itself; start a classic session (spark-submit, or SparkSession.builder.master)."
        )
    check_version(session.version)
    return session


def read_named(session: Any, source: str, format_: str | None = None) -> Any:
    """The dataframe of a file, a folder or a table of the catalogue."""
    if format_ is not None and format_ not in FORMATS:
        raise BadInput(f"Spark reads {', '.join(FORMATS)} here, not {format_!r}.")
    with in_words():
        found = format_ or format_of(source)
        return session.table(source) if found is None else session.read.format(found).load(source)


def format_of(source: str) -> str | None:
    """The format of what lies at a path; none for the name of a table.

    >>> format_of("lake/people.parquet"), format_of("s3a://lake/people.orc"), format_of("db.people")
    ('parquet', 'orc', None)
    """
    place = Path(source)
    if (place / "_delta_log").is_dir():
        return "delta"
    ending = source.rstrip("/").rsplit(".", 1)[-1].lower()
    if ending in FORMATS:
        return ending
    if place.is_file() and place.suffix:
        raise BadInput(
            f"Spark reads {', '.join(FORMATS)} here, and {source!r} ends in {place.suffix!r}; "
            "publish it without --engine spark, or convert it."
        )
    return "parquet" if "/" in source or Path(source).exists() else None
