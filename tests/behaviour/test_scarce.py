"""Whatever mnm itself runs out of, the job goes on as without it."""

import os

import pytest

from conftest import FORMS, LIBRARY, plain_build_only, program

pytestmark = plain_build_only

DRIVER = """init
retain primary 0
set primary
alloc a 5000
fill a 3
alloc b 3000000
pitch p 1000 70 4
managed m 4096
free b
alloc c 3000000
fill c 4
check c 4
stream s
stream t
alloc_async y 5000 s
begin s relaxed
stream_fill s a 7
free c
alloc d 3000000
end s g
instantiate g x
graph_destroy g
launch x s
stream_sync s
check a 7
exec_destroy x
free_async y s
pin h 5000 0
host_fill h 9
unpin h
pin i 5000 0
host_fill i 2
host_check i 2
create other 0
alloc e 70000
fill e 5
check e 5
free e
destroy other
set primary
free a
free d
alloc f 5000
fill f 8
check f 8
sync
"""
RUNTIME = """alloc a 5000
fill a 3
check a 3
alloc b 3000000
managed m 4096
pitch p 1000 70
free b
alloc c 3000000
fill c 4
check c 4
alloc_async d 5000
free_async d
free c
pin h 5000 0
unpin h
pin i 5000 0
reset
alloc e 5000
fill e 6
check e 6
last
"""
SCRIPTS = {"driver": DRIVER, "shared": RUNTIME}


def run(box, form, failing, script):
    """Runs with calls of mnm's failing; how many it made, and the run."""
    report = os.path.join(box.folder, "calls")
    done = box.run(["env", f"LD_PRELOAD={program('scarce.so')}:{LIBRARY}",
                    f"SCARCE_REPORT={report}", *failing, *FORMS[form]],
                   "page_unit_pool", stdin=script)
    with open(report, encoding="utf-8") as file:
        return int(file.read()), done


@pytest.mark.parametrize("more", [[], ["SCARCE_ON=1"]],
                         ids=["one", "all from there on"])
@pytest.mark.parametrize("form", SCRIPTS)
def test_a_job_goes_on_whichever_memory_mnm_does_not_get(box, form, more):
    script = SCRIPTS[form]
    alone = box.run(FORMS[form], stdin=script)
    assert "wrong" not in alone.stdout
    calls, whole = run(box, form, [], script)
    assert calls > 10 and whole.stdout == alone.stdout
    for number in range(calls):
        _, run_short = run(box, form, [f"SCARCE_AT={number}", *more], script)
        assert run_short.stdout == alone.stdout, number
        said = run_short.stderr.splitlines()
        assert len(said) <= 1 or ("socket" in said[0] and len(said) == 2 and
                                  "statistics" in said[1]), (number, said)
