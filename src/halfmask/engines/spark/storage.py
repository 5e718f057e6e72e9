"""Storage: where a release goes, on any file system that Spark writes to."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from halfmask.engines.spark.words import in_words
from halfmask.errors import BadInput

MANIFEST = "_halfmask.json"
"""The list of files with their checksums; readers of Parquet pass names with _ over."""
DONE = "_SUCCESS"
_WHOLE = _ANEW = True
"""A folder goes with all that is in it; a file that is there is written anew."""


@dataclass(frozen=True, eq=False)
class Folder:
    """A folder for a release: written under another name, and named when all is there."""

    session: Any
    path: str

    def check_free(self, *pages: str, force: bool) -> None:
        """Refuse places that are taken before the work: the folder, and pages beside it."""
        with in_words():
            for path in () if force else (self.path, *pages):
                if self._files.exists(self._place(path)):
                    raise BadInput(f"{path!r} exists already; use --force to overwrite it.")

    def write(self, frame: Any, facts: Mapping[str, Any], pages: Mapping[str, bytes]) -> str:
        """The rows, their list of files, the pages beside; the checksum of the list comes back.

        Nothing has its name before everything is there, and nothing is left where that fails.
        """
        waiting = {path: f"{path}.{uuid.uuid4().hex[:8]}.waiting" for path in (self.path, *pages)}
        folder = waiting[self.path]
        try:
            with in_words():
                self._rows(frame, folder)
                manifest = self._manifest(folder, facts)
                self.put(f"{folder}/{MANIFEST}", manifest)
                self.put(f"{folder}/{DONE}", b"")
                for path, content in pages.items():
                    self.put(waiting[path], content)
                for path in (*pages, self.path):
                    self._name(waiting[path], path)
        except BaseException:
            for place in waiting.values():
                self._files.delete(self._place(place), _WHOLE)
            raise
        return hashlib.sha256(manifest).hexdigest()

    def _rows(self, frame: Any, path: str) -> None:
        writer = frame.write.option("compression", "zstd")
        writer.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false").parquet(path)

    def _manifest(self, path: str, facts: Mapping[str, Any]) -> bytes:
        from pyspark.sql import functions

        contents = self.session.read.format("binaryFile").load(f"{path}/*.parquet")
        lines = contents.select(
            "path", "length", functions.sha2("content", 256).alias("sha256")
        ).collect()
        files = {
            line["path"].rsplit("/", 1)[-1]: {"bytes": line["length"], "sha256": line["sha256"]}
            for line in lines
        }
        listed = {**facts, "files": dict(sorted(files.items()))}
        return json.dumps(listed, indent=2, ensure_ascii=False).encode() + b"\n"

    def _name(self, waiting: str, path: str) -> None:
        """Give what is waiting its name; what had it before goes."""
        self._files.delete(self._place(path), _WHOLE)
        if not self._files.rename(self._place(waiting), self._place(path)):
            raise BadInput(f"The release could not be given its name, {path!r}.")

    def put(self, path: str, content: bytes) -> None:
        """One small file."""
        stream = self._files.create(self._place(path), _ANEW)
        try:
            stream.write(bytearray(content))
        finally:
            stream.close()

    def _place(self, path: str) -> Any:
        return self.session._jvm.org.apache.hadoop.fs.Path(path)  # noqa: SLF001 - Spark's own door

    @property
    def _files(self) -> Any:
        settings = self.session._jsc.hadoopConfiguration()  # noqa: SLF001 - idem
        return self._place(self.path).getFileSystem(settings)
