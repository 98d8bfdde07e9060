import pytest
from test_steps import Steps
from test_pool import took
from test_tstack import LAP

class Mixed(Steps):
    """Each third request is made in the order of a stream."""
    def __init__(self, box, **o):
        super().__init__(box, **o)
        took(self.shell, "stream s")
        self.n = 0
        self.asy = set()
    def free_due(self):
        for name in self.due.pop(self.time, []):
            took(self.shell, f"check {name} {len(name)}")
            if name in self.asy:
                took(self.shell, f"free_async {name} s")
                self.asy.discard(name)
            else:
                took(self.shell, f"{self.off}free {name}")
            self.live.pop(name, None)
    def request(self, size, life):
        i = self.n; self.n += 1
        name = f"b{self.names}"
        self.names = (self.names + 1) % 100
        if i % len(LAP) % 3 == 1:
            took(self.shell, f"alloc_async {name} {size} s")
            self.asy.add(name)
        else:
            took(self.shell, f"alloc {name} {size}")
        took(self.shell, "sync")
        took(self.shell, f"fill {name} {len(name)}")
        self.live[name] = size
        self.time += 1
        self.due.setdefault(self.time + life, []).append(name)
        self.free_due()

@pytest.mark.parametrize("size", [0, 2**64 - 1, 2**64 - 512])
def test_zero(box, size):
    loop = Mixed(box)
    loop.settle()
    print(loop.plan())
    print("steps", loop.steps())
    loop.lap()
    said = set()
    for s, life in LAP:
        said.add(loop.shell(f"alloc z {size}"))
        loop.request(s, life)
    print(said)
    assert said <= {"1", "2"}, said
