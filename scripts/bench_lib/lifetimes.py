"""Lifetimes drawn from a seed, as CSV for `mnm plan`."""

import random


def random_lifetimes(count, seed, live=500):
    """So many lifetimes, about `live` at a time, of 512 bytes to 8 MiB; each
    power of two has as many."""
    draw = random.Random(seed)
    lines = ["id,lower,upper,size"]
    for i in range(count):
        lower = draw.randrange(count)
        upper = lower + 1 + int(draw.expovariate(1 / live))
        lines.append(f"{i},{lower},{upper},"
                     f"{512 * int(2 ** draw.uniform(0, 14))}")
    return "\n".join(lines) + "\n"
