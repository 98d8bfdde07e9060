"""While a program does what a plan says, a thread takes the plan's places, and
all threads free them, without a lock. Whatever else comes is not led astray."""

import copy
import random

import pytest

from conftest import MIB
from test_pool import took
from test_tstack import LAP, Loop

TURNS = 4  # requests until a thread may take places by itself


class Steps(Loop):
    """`on` and `off`: how requests are made, and frees: "on NAME " for another
    thread than the first."""

    prefix = "b"  # of the names of its blocks
    device = 0
    home = ""  # who uses them
    waits = False  # after each request, so that all that was freed is ready

    def __init__(self, box, form="driver", **options):
        super().__init__(box, form=form, **options)
        self.on = self.off = ""
        self.live = {}
        for thread in ("other", "third") if form == "driver" else ():
            took(self.shell, f"on {thread} set primary")

    def plan(self):
        return self.shell.stat(self.device)["plan"]

    def twin(self, device, thread):
        """The same for another device, by another thread."""
        other = copy.copy(self)
        other.device, other.prefix = device, "t"
        other.on = other.off = other.home = f"on {thread} "
        other.live, other.due = {}, {}
        other.time = other.names = 0
        return other

    def free_due(self):
        for name in self.due.pop(self.time, []):
            took(self.shell, f"{self.home}check {name} {len(name)}")
            took(self.shell, f"{self.off}free {name}")
            self.live.pop(name, None)

    def request(self, size, life):
        name = f"{self.prefix}{self.names}"
        self.names = (self.names + 1) % 100
        took(self.shell, f"{self.on}alloc {name} {size}")
        took(self.shell, f"{self.home}fill {name} {len(name)}")
        self.live[name] = size
        self.time += 1
        self.due.setdefault(self.time + life, []).append(name)
        self.free_due()
        if self.waits:
            took(self.shell, f"{self.on}sync")

    def steps(self, laps=3):
        """How many requests of some laps were taken without a lock."""
        before = self.plan()["steps"]
        self.laps(laps)
        return self.plan()["steps"] - before


# Whoever asks for the figures looks at the plan, so it has to be won again.
NEARLY_ALL = 3 * len(LAP) - TURNS - 1


@pytest.mark.parametrize("form", ["driver", "shared", "static"])
def test_places_are_taken_without_a_lock(box, form):
    loop = Steps(box, form=form)
    loop.settle()
    before = loop.shell.stat()
    assert loop.steps() >= NEARLY_ALL
    after = loop.shell.stat()
    assert after["hits"] - before["hits"] == 3 * len(LAP)
    assert after["frees"] - before["frees"] == 3 * len(LAP)
    assert after["live_bytes"] == sum(loop.live.values())
    assert after["plan"]["placed_bytes"] > before["plan"]["placed_bytes"]
    loop.end()
    assert box.stat()["live_bytes"] == 0


class Mixed(Steps):
    """Each third request is made in the order of a stream, and freed there."""

    def __init__(self, box, **options):
        super().__init__(box, **options)
        took(self.shell, "stream order")
        self.ordered = set()

    def free_due(self):
        for name in self.due.pop(self.time, []):
            took(self.shell, f"check {name} {len(name)}")
            took(self.shell, f"free_async {name} order" if name in self.ordered
                 else f"{self.off}free {name}")
            self.ordered.discard(name)
            self.live.pop(name, None)

    def request(self, size, life):
        name = f"b{self.names}"
        self.names = (self.names + 1) % 100
        if self.time % len(LAP) % 3 == 1:
            took(self.shell, f"alloc_async {name} {size} order")
            took(self.shell, "sync")
            self.ordered.add(name)
        else:
            took(self.shell, f"{self.on}alloc {name} {size}")
        took(self.shell, f"fill {name} {len(name)}")
        self.live[name] = size
        self.time += 1
        self.due.setdefault(self.time + life, []).append(name)
        self.free_due()


@pytest.mark.parametrize("size", [0, 2**64 - 1, 2**64 - 512])
def test_a_request_that_no_pool_serves_gets_no_place(box, size):
    """Neither does it get one where the plan has a request in a stream's
    order, which no thread takes by itself."""
    loop = Mixed(box)
    loop.settle()
    assert loop.steps() > 0
    loop.lap()
    said = set()
    for asked, life in LAP:
        said.add(loop.shell(f"alloc none {size}").split()[0])
        loop.request(asked, life)
    assert "0" not in said
    loop.end()
    assert box.stat()["live_bytes"] == 0


def test_other_threads_free_them(box):
    loop = Steps(box)
    loop.settle()
    loop.off = "on other "
    assert loop.steps() >= NEARLY_ALL
    stat = loop.shell.stat()
    assert stat["live_bytes"] == sum(loop.live.values())
    assert stat["reserved_bytes"] >= stat["idle_bytes"] > 0
    loop.end()
    assert box.stat()["live_bytes"] == 0


def test_another_thread_takes_the_plan_over(box):
    loop = Steps(box)
    loop.settle()
    assert loop.steps() >= NEARLY_ALL
    loop.on = "on other "
    assert loop.steps() >= NEARLY_ALL - TURNS
    loop.on, loop.off = "", "on third "
    assert loop.steps() >= NEARLY_ALL - TURNS
    loop.end()


def test_threads_that_take_turns_are_served_as_well(box):
    loop = Steps(box)
    loop.settle()
    for i, (size, life) in enumerate(3 * LAP):
        loop.on = "on other " if i % 3 else ""
        loop.request(size, life)
    loop.on = ""
    assert loop.placed() == 1
    loop.end()


def test_a_part_of_the_plan_is_taken_without_a_lock(box):
    """A program repeats the first requests of its iteration, and leaves the
    others out. Where it jumps, a few requests go to the pool."""
    loop = Steps(box)
    loop.settle()
    left = range(24, len(LAP))
    for _ in range(12):
        loop.lap(left)
    before = loop.plan()["steps"]
    for _ in range(3):
        loop.lap(left)
    assert loop.plan()["steps"] - before >= 3 * (24 - TURNS - 4)
    assert loop.placed() == 1
    loop.end()
    assert box.stat()["live_bytes"] == 0


def shape(by):
    """Another length of a batch."""
    return [(size + by * MIB // 2, life) for size, life in LAP]


def test_two_shapes_in_any_order_are_taken_without_a_lock(box):
    loop = Steps(box)
    shapes = [shape(0), shape(3)]
    order = random.Random(7)

    def play(laps):
        for _ in range(laps):
            for size, life in order.choice(shapes):
                loop.request(size, life)

    loop.settle()
    play(60)
    plan = loop.plan()
    assert (plan["state"], plan["templates"] > 1) == ("following", True)
    play(20)
    assert loop.plan()["steps"] - plan["steps"] >= 20 * len(LAP) * 3 // 4
    loop.end()
    assert box.stat()["live_bytes"] == 0


def test_an_address_inside_leads_to_its_block(box):
    """Smaller blocks have begun there before, and will again."""
    loop = Steps(box)
    loop.settle()
    loop.lap()
    asked = 0
    for size, life in LAP:
        loop.request(size, life)
        for name, bytes_ in loop.live.items():
            for offset in 0, bytes_ // 2, bytes_ - 1:
                said = loop.shell(f"range {name} {offset}").split()
                assert said[:2] == ["0", "0"] and int(said[2]) >= bytes_
                asked += 1
    assert asked > len(LAP)
    loop.end()


def test_a_block_that_was_freed_can_not_be_freed_again(box):
    loop = Steps(box)
    loop.settle()
    loop.lap()
    took(loop.shell, f"alloc twice {LAP[0][0]}")
    addr = loop.shell("addr twice").split()[-1]
    took(loop.shell, "free twice")
    assert loop.shell(f"free_at {addr}") == "1"
    loop.end()


def test_a_buffer_id_ends_with_its_block(box):
    loop = Steps(box)
    loop.settle()
    loop.lap()
    ids = []
    for _ in range(3):
        for i, (size, life) in enumerate(LAP):
            loop.request(size, life)
            name = f"b{(loop.names - 1) % 100}"
            if not i % 10 and name in loop.live:
                ids.append(loop.shell(f"buffer {name} 0"))
    assert len(ids) > 3 and len(set(ids)) == len(ids)
    assert loop.placed() == 1
    loop.end()


def test_a_swap_comes_while_a_thread_takes_places(box):
    loop = Steps(box)
    loop.settle()
    loop.laps(2)
    for pool in "page_unit_pool", "tstack_pool":
        for size, life in LAP[:17]:
            loop.request(size, life)
        assert loop.shell.ask(f"swap {pool}")["devices"]
        for size, life in LAP[17:]:
            loop.request(size, life)
    loop.settle()
    assert loop.steps() >= NEARLY_ALL
    loop.end()
    stat = box.stat()
    assert stat["live_bytes"] == stat["retired_bytes"] == 0


def test_a_limit_of_what_is_idle_is_kept(box):
    loop = Steps(box)
    loop.settle()
    loop.laps(2)
    assert loop.shell.ask(f"set idle_limit {MIB}") is not None
    while loop.due:
        loop.time += 1
        loop.free_due()
    took(loop.shell, "sync")
    loop.request(512, 0)
    assert loop.shell.stat()["idle_bytes"] <= 4 * MIB
    loop.end()


def test_a_trim_comes_while_a_thread_takes_places(box):
    loop = Steps(box)
    loop.settle()
    loop.laps(2)
    for size, life in LAP[:17]:
        loop.request(size, life)
    assert loop.shell.ask("trim")["devices"][0]["idle_bytes"] > 0
    for size, life in LAP[17:]:
        loop.request(size, life)
    loop.settle()
    assert loop.steps() >= NEARLY_ALL
    loop.end()


CONTEXTS = 9  # one more than a fence covers


def contexts_come(loop):
    """No fence may be made from now on."""
    for i in range(CONTEXTS - 1):
        took(loop.shell, f"create context{i} 0")
        took(loop.shell, "set primary")


def test_each_thread_may_free_less_at_once(box):
    """Where no fence may be made, a free may have to wait."""
    loop = Steps(box, quarantine="8G")
    loop.settle()
    contexts_come(loop)
    loop.off = "on other "
    loop.request(*LAP[0])
    while len(loop.due) > 3:
        loop.time += 1
        loop.free_due()
    assert loop.shell.ask("set quarantine 0") is not None
    before = loop.shell.stat()["syncs"]
    freed = len(loop.live)
    for time in sorted(loop.due):
        loop.time = time
        loop.free_due()
    assert loop.shell.stat()["syncs"] - before == freed > 0
    loop.end()


def test_memory_does_not_grow_where_no_fence_may_be_made(box):
    """What the base pool has serves, as the plan's places are not ready."""
    loop = Steps(box)
    loop.settle()
    contexts_come(loop)
    loop.laps(3)
    before = loop.shell.stat()["reserved_bytes"]
    loop.laps(3)
    assert loop.shell.stat()["reserved_bytes"] <= before * 1.1
    loop.end()


def test_sizes_that_are_passed_on_are_allocations_of_their_own(box):
    loop = Steps(box, pool="tstack_pool@device")
    loop.settle()
    assert loop.steps() >= NEARLY_ALL
    size, life = LAP[0]
    loop.request(size, life)
    name = next(iter(reversed(loop.live)))
    took(loop.shell, f"export {name} 0")
    for size, life in LAP[1:]:
        loop.request(size, life)
    before = loop.shell.stat()
    loop.lap()
    after = loop.shell.stat()
    alike = sum(size.bit_length() == LAP[0][0].bit_length()
                for size, life in LAP)
    assert after["driver_allocs"] - before["driver_allocs"] >= alike
    loop.end()
    assert box.stat()["live_bytes"] == 0


def test_a_thread_frees_what_lies_along_another_devices_plan(box):
    loop = Steps(box, devices=2)
    loop.waits = True
    took(loop.shell, "retain second 1")
    took(loop.shell, "on other set second")
    twin = loop.twin(1, "other")
    loop.settle()
    twin.settle()
    assert twin.steps() >= NEARLY_ALL
    loop.off = "on other "
    assert loop.steps() >= NEARLY_ALL - TURNS
    for at in loop, twin:
        stat = loop.shell.stat(at.device)
        assert stat["live_bytes"] == sum(at.live.values())
        assert stat["reserved_bytes"] >= stat["idle_bytes"] > 0
    for each in loop, twin:
        for time in sorted(each.due):
            each.time = time
            each.free_due()
    loop.end()
    assert box.stat()["live_bytes"] == box.stat(1)["live_bytes"] == 0
