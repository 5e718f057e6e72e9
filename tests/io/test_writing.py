"""Nothing is half written, and nothing is overwritten without being asked to."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from halfmask.errors import BadInput
from halfmask.io.writing import Outputs, check_folder, check_free, write_bytes


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write_new(*paths, meanwhile=lambda: None):
    with Outputs() as outputs:
        for path in paths:
            with outputs.open(path) as file:
                file.write(b"new")
        meanwhile()


def test_a_file_appears_only_when_it_is_complete(tmp_path):
    with Outputs() as outputs:
        with outputs.open(tmp_path / "a.txt") as file:
            file.write(b"half")
            assert not (tmp_path / "a.txt").exists()
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_bytes() == b"half"
    assert names(tmp_path) == ["a.txt"]


def test_a_file_has_a_checksum_before_it_has_its_name(tmp_path, capfdbinary):
    with Outputs() as outputs:
        for path in (tmp_path / "a.txt", "-"):
            with outputs.open(path) as file:
                file.write(b"whole" * 300_000)
            assert outputs.checksum(path) == hashlib.sha256(b"whole" * 300_000).hexdigest()
        assert not (tmp_path / "a.txt").exists()
    assert capfdbinary.readouterr().out == b"whole" * 300_000


def test_an_existing_file_is_refused_before_the_work(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"old")
    with pytest.raises(BadInput, match=r"a\.txt' already exists; use --force"):
        check_free(tmp_path / "a.txt")
    check_free(tmp_path / "a.txt", force=True)


@pytest.mark.parametrize("name", ["a.csv", "link.csv"])
def test_what_is_read_is_never_overwritten_even_by_force(tmp_path, name):
    (tmp_path / "a.csv").write_bytes(b"the only copy")
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(BadInput, match="is an input and is never overwritten; name another"):
        check_free(tmp_path / name, force=True, read=[None, str(tmp_path / "a.csv")])
    check_free(tmp_path / "a.csv", force=True, read=["nowhere.csv", "x" * 5000, "a\0b", object()])


def test_a_folder_cannot_be_made_of_a_file_or_within_one(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"old")
    for path in (tmp_path / "a.txt", tmp_path / "a.txt" / "deep" / "down"):
        with pytest.raises(BadInput, match=r"a\.txt' is a file; name a folder"):
            check_folder(path)
    check_folder(tmp_path)
    check_folder(tmp_path / "new" / "deep")
    assert names(tmp_path) == ["a.txt"], "looking makes nothing"


def test_a_file_that_came_into_being_meanwhile_is_not_overwritten(tmp_path):
    final = tmp_path / "a.txt"
    with pytest.raises(BadInput, match="already exists"):
        write_new(final, meanwhile=lambda: final.write_bytes(b"someone else's"))
    assert (tmp_path / "a.txt").read_bytes() == b"someone else's"
    assert names(tmp_path) == ["a.txt"]


def test_force_replaces_and_keeps_the_permissions(tmp_path):
    old = tmp_path / "a.txt"
    old.write_bytes(b"old")
    old.chmod(0o640)
    write_bytes(old, b"new", force=True)
    assert old.read_bytes() == b"new"
    assert old.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("there", [False, True])
def test_a_link_is_never_followed(force, there, tmp_path):
    if there:
        (tmp_path / "a.txt").write_bytes(b"old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    with pytest.raises(BadInput, match=r"link\.txt' is a symbolic link and is not followed"):
        write_bytes(tmp_path / "link.txt", b"new", force=force)
    assert (tmp_path / "link.txt").is_symlink()
    assert names(tmp_path) == (["a.txt", "link.txt"] if there else ["link.txt"])
    assert not there or (tmp_path / "a.txt").read_bytes() == b"old"


def test_a_link_that_came_into_being_meanwhile_is_not_followed(tmp_path):
    final = tmp_path / "a.txt"
    with pytest.raises(BadInput, match="symbolic link"):
        write_new(final, meanwhile=lambda: final.symlink_to(tmp_path / "b.txt"))
    assert names(tmp_path) == ["a.txt"]


def test_a_folder_that_is_a_link_is_a_folder(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "folder").symlink_to(tmp_path / "real")
    write_bytes(tmp_path / "folder" / "a.txt", b"new")
    assert names(tmp_path / "real") == ["a.txt"]


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    write_bytes(tmp_path / "a.txt", b"new")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt])
def test_an_exception_leaves_the_old_file_and_nothing_else(problem, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"old")

    def interrupted():
        with Outputs(force=True) as outputs:
            with outputs.open(tmp_path / "b.txt") as file:
                file.write(b"complete")
            with outputs.open(tmp_path / "a.txt") as file:
                file.write(b"ne")
                raise problem

    with pytest.raises(problem):
        interrupted()
    assert names(tmp_path) == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"old"


def test_a_group_that_cannot_be_named_as_a_whole_is_not_named_at_all(tmp_path, monkeypatch):
    real = os.link

    def second_fails(part, final):
        if final.name == "b.txt":
            raise FileExistsError
        real(part, final)

    monkeypatch.setattr(os, "link", second_fails)
    with pytest.raises(BadInput, match=r"b\.txt' already exists"):
        write_new(tmp_path / "a.txt", tmp_path / "b.txt")
    assert names(tmp_path) == []


def test_a_file_system_without_links_is_written_by_renaming(tmp_path, monkeypatch):
    def no_links(part, final):
        raise OSError(1, "Operation not permitted", str(part), None, str(final))

    monkeypatch.setattr(os, "link", no_links)
    write_bytes(tmp_path / "a.txt", b"new")
    with pytest.raises(BadInput, match="already exists"):
        write_bytes(tmp_path / "a.txt", b"newer")
    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert names(tmp_path) == ["a.txt"]


def test_two_outputs_with_one_name_are_refused(tmp_path):
    with pytest.raises(BadInput, match="Two outputs"):
        write_new(tmp_path / "a.txt", tmp_path / "a.txt")
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (".", "is a directory"),
        ("nowhere/a.csv", "There is no folder"),
        ("x" * 300, "cannot be wri"),
    ],
)
def test_places_that_cannot_be_written_get_one_sentence(path, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=sentence):
        write_bytes(path, b"new")
    assert names(tmp_path) == []


def test_a_full_disk_gets_one_sentence_and_leaves_nothing(tmp_path):
    outputs = Outputs()
    with pytest.raises(BadInput, match="No space left"), outputs, outputs.open(tmp_path / "a"):
        raise OSError(28, "No space left on device")
    assert names(tmp_path) == []


@pytest.mark.parametrize("old", [None, b"old"])
def test_a_killed_process_leaves_no_partial_file_under_the_final_name(old, tmp_path):
    final = tmp_path / "patients.release.csv"
    if old is not None:
        final.write_bytes(old)
    program = textwrap.dedent(
        """
        import sys, time
        from halfmask.io.writing import Outputs
        with Outputs(force=True) as outputs, outputs.open(sys.argv[1]) as file:
            file.write(b"half a rel")
            file.flush()
            print("writing", flush=True)
            time.sleep(60)
        """
    )
    with subprocess.Popen(  # noqa: S603 - the program is the few lines above
        [sys.executable, "-c", program, str(final)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"writing\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert (final.read_bytes() if final.exists() else None) == old
    left = [name for name in names(tmp_path) if name != final.name]
    assert [name.startswith(".") and name.endswith(".part") for name in left] == [True]


def test_a_process_killed_between_two_names_has_given_none_to_what_was_opened_first(tmp_path):
    program = textwrap.dedent(
        """
        import os, signal
        from halfmask.io.writing import Outputs
        real = os.link
        def link(part, final):
            real(part, final)
            os.kill(os.getpid(), signal.SIGKILL)
        os.link = link
        with Outputs() as outputs:
            for name in ("release.csv", "model.json", "report.html"):
                with outputs.open(name) as file:
                    file.write(b"whole")
        """
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False)  # noqa: S603
    assert [name for name in names(tmp_path) if not name.startswith(".")] == ["report.html"]


@pytest.mark.skipif(os.name != "posix", reason="signals of this kind exist on POSIX systems")
def test_a_signal_waits_until_names_are_given_and_parts_are_gone(tmp_path, monkeypatch):
    real = os.link

    class Asked(Exception):
        pass

    def asked(*_):
        raise Asked

    def link(part, final):
        signal.raise_signal(signal.SIGTERM)
        real(part, final)

    monkeypatch.setattr(os, "link", link)
    usual = signal.signal(signal.SIGTERM, asked)
    try:
        with pytest.raises(Asked):
            write_new(tmp_path / "a.txt", tmp_path / "b.txt")
        assert signal.getsignal(signal.SIGTERM) is asked
    finally:
        signal.signal(signal.SIGTERM, usual)
    assert names(tmp_path) == ["a.txt", "b.txt"]
