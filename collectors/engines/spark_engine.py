"""Spark in local mode: the engine of clusters, on one machine's Java."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import logging
import os
import re
import shutil
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import narwhals as nw

from recuse.collectors.engines.files import Files, failure_of, with_folder_keys
from recuse.errors import ConfigurationError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["opened"]

_PATTERN: Final = re.compile(r"([\\{}\[\]*?^])")
"""Signs by which Spark takes a path for a pattern."""
_QUIET: Final = """\
rootLogger.level = off
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %m%n
"""


@contextmanager
def opened(files: Files, scratch: Path) -> Generator[nw.LazyFrame[Any]]:
    """Start Spark on all cores of this machine, open files, and stop it afterwards.

    Raises
    ------
    ConfigurationError
        There is no Java, or Spark does not start on it.
    SourceError
        Spark cannot read them.
    """
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise ConfigurationError(
            "Spark needs Java 17 and there is none",
            "install it (Debian: openjdk-17-jre-headless) or set JAVA_HOME; --engine duckdb needs none",
        )
    from pyspark.errors import PySparkException

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            session = _session(scratch)
        except PySparkException as error:
            raise ConfigurationError(
                "Spark did not start",
                "check that java -version answers 17 or newer; --engine duckdb needs none",
            ) from error
        disabled = logging.root.manager.disable
        # What Spark says of a failure on stderr, in one long line, the error says in a short one.
        logging.disable(logging.CRITICAL)
        try:
            yield with_folder_keys(files, lambda paths: nw.from_native(_read(session, files, list(paths))))
        except PySparkException as error:
            raise failure_of("Spark", files, error) from error
        finally:
            logging.disable(disabled)
            session.stop()


def _session(scratch: Path) -> SparkSession:
    from pyspark.sql import SparkSession

    log_settings = scratch / "log4j2.properties"
    log_settings.write_text(_QUIET, encoding="utf-8")
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={log_settings.as_uri()}",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.local.dir": str(scratch),
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "16",
        "spark.sql.warehouse.dir": (scratch / "warehouse").as_uri(),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[*]").appName("recuse reduce")
    return builder.config(map=settings).getOrCreate()


def _read(session: SparkSession, files: Files, paths: list[str]) -> DataFrame:
    sources = [_PATTERN.sub(r"\\\1", str(Path(path).absolute())) for path in paths]
    if files.file_format == "csv":
        frame = session.read.csv(sources, header=True, multiLine=True, escape='"', nullValue="")
    elif files.file_format == "jsonl":
        frame = session.read.json(sources)
    else:
        frame = session.read.parquet(*sources)
    return frame.select(*files.texts, *files.whole)
