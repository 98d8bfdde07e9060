"""The ways into the driver: what cudart asks for, and what it gets."""

import os
import subprocess

import pytest

from conftest import KINDS, ROOT, plain_build_only, program

REQUESTS = os.path.join(ROOT, "tests", "programs",
                        "cudart-13.0-requests.csv")


@pytest.mark.parametrize("pool", KINDS)
@pytest.mark.parametrize("form", ["1", "2"])
def test_cudarts_requests_are_answered_as_without_the_preload(box, form, pool):
    door = [program("door"), form, REQUESTS]
    alone = box.run(door)
    under = box.run(door, pool)
    assert under.stdout == alone.stdout
    assert len(alone.stdout.splitlines()) > 440


@pytest.mark.parametrize("form", ["1", "2"])
def test_what_the_door_hands_out_leads_to_the_pool(box, form):
    box.run([program("door"), form, REQUESTS], "page_unit_pool")
    stat = box.stat()
    assert (stat["allocs"], stat["hits"], stat["frees"]) == (2, 1, 2)
    assert box.report()[0]["cuMemAlloc_v2"] == 1


@pytest.mark.parametrize("form", ["1", "2"])
def test_disabled_the_door_hands_out_cudas_own(box, form):
    box.run([program("door"), form, REQUESTS], "page_unit_pool", disable=1)
    assert box.report()[0]["cuMemAlloc_v2"] == 2


def test_a_door_that_is_no_export_is_known_by_name_version_and_flags(box):
    env = box.env("page_unit_pool")
    env["LD_LIBRARY_PATH"] = program("inner")
    box.env = lambda *args, **kwargs: env
    asked = [("cuMemAlloc", 3020, 0), ("cuMemAlloc", 2000, 0),
             ("cuMemAlloc", 13000, 2), ("cuMemFreeAsync", 11020, 0),
             ("cuMemFreeAsync", 11020, 2), ("cuMemFreeAsync", 11010, 2),
             ("cuMemAllocAsync", 11020, 0)]
    run = box.run([program("inner_door"),
                   *(str(word) for row in asked for word in row)])
    ours, inner = "libmnm.so ", "libcuda.so.1 inner"
    assert run.stdout.splitlines() == [
        ours + "cuMemAlloc_v2", inner, ours + "cuMemAlloc_v2",
        ours + "cuMemFreeAsync", ours + "cuMemFreeAsync_ptsz", inner, inner]


def test_what_comes_next_is_the_callers_question(box):
    env = box.env("page_unit_pool")
    parts = env["LD_PRELOAD"].split(":")
    env["LD_PRELOAD"] = ":".join([*parts[:-1], program("next_answer.so"),
                                  parts[-1]])
    box.env = lambda *args, **kwargs: env
    assert box.run([program("next")]).stdout == "next\n"


@plain_build_only
@pytest.mark.parametrize("sanitizer", ["address", "thread"])
def test_a_sanitizers_program_may_ask_before_it_has_set_itself_up(
        box, sanitizer):
    path = os.path.join(box.folder, "next")
    subprocess.run(["gcc", f"-fsanitize={sanitizer}", "-o", path, os.path.join(
        ROOT, "tests", "programs", "next.c")], check=True)
    env = box.env("page_unit_pool")
    # The preload comes before the sanitizer's runtime.
    env["ASAN_OPTIONS"] = "verify_asan_link_order=0"
    box.env = lambda *args, **kwargs: env
    assert box.run([path]).stdout == "nothing is next\n"
