"""scripts/tag: a release is what CHANGELOG.md says is one."""

import os
import shutil
import subprocess

import pytest

from conftest import DEADLINE, ROOT


class Repository:
    def __init__(self, folder):
        self.folder = folder
        for name in ("scripts", "src/common"):
            (folder / name).mkdir(parents=True)
        shutil.copy(os.path.join(ROOT, "scripts", "tag"), folder / "scripts")
        self.git("init", "-q")

    def git(self, *words):
        return subprocess.run(
            ["git", "-C", str(self.folder), "-c", "user.name=a",
             "-c", "user.email=a@b", *words], capture_output=True, text=True,
            check=True, timeout=DEADLINE).stdout

    def commit(self, heading, version="0.2.0"):
        (self.folder / "CHANGELOG.md").write_text(
            f"# Changes\n\n{heading}\n\n- A change.\n\n"
            "## 0.1.0 (2026-01-02)\n\n- An old one.\n")
        (self.folder / "src/common/version.h").write_text(
            f'#define MNM_VERSION "{version}"\n')
        self.git("add", "-A")
        self.git("commit", "-q", "-m", heading)

    def tag(self, *words):
        return subprocess.run(
            [str(self.folder / "scripts" / "tag"), *words],
            capture_output=True, text=True, check=False, timeout=DEADLINE,
            env={**os.environ, "GIT_COMMITTER_NAME": "a",
                 "GIT_COMMITTER_EMAIL": "a@b"})

    def tags(self):
        return self.git("tag").split()


@pytest.fixture(name="repository")
def make_repository(tmp_path):
    return Repository(tmp_path)


def test_a_release_gets_a_tag_with_its_section(repository):
    repository.commit("## 0.2.0 (2026-12-31)")
    assert repository.tag().returncode == 0
    assert repository.tags() == ["v0.2.0"]
    said = repository.git("tag", "-n99")
    assert "A change." in said and "An old one." not in said
    before = repository.git("rev-parse", "v0.2.0")
    repository.git("commit", "-q", "--allow-empty", "-m", "later")
    assert repository.tag().returncode == 0
    assert repository.git("rev-parse", "v0.2.0") == before


def test_what_is_not_released_gets_none(repository):
    repository.commit("## 0.2.0 (unreleased)")
    done = repository.tag()
    assert done.returncode == 0 and "0.2.0 is not released" in done.stdout
    assert not repository.tags()


@pytest.mark.parametrize("heading,version,words", [
    ("## 0.2.0", "0.2.0", "(YYYY-MM-DD)"),
    ("## 0.2.0 (soon)", "0.2.0", "(YYYY-MM-DD)"),
    ("## Next (2026-12-31)", "0.2.0", "(YYYY-MM-DD)"),
    ("## 0.2.0 (2026-12-31)", "0.1.9", "version.h has 0.1.9")])
def test_a_wrong_heading_is_one_line_and_no_tag(repository, heading, version,
                                                words):
    repository.commit(heading, version)
    done = repository.tag()
    assert done.returncode == 1 and words in done.stderr
    assert done.stderr.count("\n") == 1
    assert not repository.tags()


def test_the_changelog_of_this_tree_is_understood(repository):
    for name in ("CHANGELOG.md", "src/common/version.h"):
        shutil.copy(os.path.join(ROOT, name), repository.folder / name)
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "as it is")
    done = repository.tag()
    assert done.returncode == 0, done.stderr


def test_help_and_a_wrong_word(repository):
    assert "CHANGELOG.md" in repository.tag("--help").stdout
    assert repository.tag("now").returncode == 2
