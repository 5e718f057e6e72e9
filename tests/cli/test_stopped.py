"""A process that is asked to end leaves nothing half written, and says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="these signals exist on POSIX systems")

PROGRAM = textwrap.dedent(
    """
    import signal
    import time

    # Whoever runs the tests may have had them ignore a hang-up, as nohup does.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    from halfmask.cli import entry
    from halfmask.io.writing import Outputs

    def work():
        with Outputs() as outputs:
            with outputs.open("model.json") as file:
                file.write(b"whole")
            with outputs.open("release.csv") as file:
                file.write(b"half a rel")
                file.flush()
                print("writing", flush=True)
                time.sleep(60)

    entry.load_command = lambda name: entry.click.Command(name, callback=work)
    entry.main()
    """
)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_while_a_file_is_written_leaves_no_part_of_it(name, tmp_path):
    with subprocess.Popen(  # noqa: S603 - the program is the few lines above
        [sys.executable, "-c", PROGRAM, "publish"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline() == b"writing\n"
        assert len(list(tmp_path.iterdir())) == 2
        process.send_signal(getattr(signal, name))
        _, said = process.communicate(timeout=30)
    assert said.decode() == f"halfmask: stopped by {name}; no file is half written.\n"
    assert process.returncode == 128 + getattr(signal, name)
    assert list(tmp_path.iterdir()) == []
