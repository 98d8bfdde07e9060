"""The periods that build/bench/periods finds in the traces of examples/traces,
from the order of requests alone, and with marks."""

import os
import re
import subprocess

import pytest

from conftest import BUILD, ROOT

TRACES = os.path.join(ROOT, "examples", "traces")

# The trace: in which iteration, counted from 0, the finding may be at the latest,
# and how many requests each period has. The first iteration is never equal to
# the others, and the first of resnet50_bs64_prefetch are two such.
FIXED = {
    "dcgan_bs128": (3, [223]),
    "gpt2_small_bs4_seq1024": (3, [1505]),
    "lstm_lm_bs20_bptt35": (3, [1237]),
    "resnet18_bs64_im2col": (3, [324]),
    "resnet50_bs100_keepgrads": (3, [720]),
    "resnet50_bs32": (3, [720]),
    "resnet50_bs64_prefetch": (3, [720]),
    "resnet50_train_eval_mix": (3, [720, 3228]),
    "unet_bs4_512": (3, [404]),
    "vgg16_bs32": (3, [152]),
}
ROW = re.compile(r" *(\d+) +(\d+) +(\d+) (exact|rough) +(\d+) +([\d.]+) +"
                 r"([\d.]+) +([\d.]+|-) +([\d.]+)")


def periods(trace, *options):
    done = subprocess.run(
        [os.path.join(BUILD, "bench", "periods"), *options,
         os.path.join(TRACES, trace + ".csv.zst")],
        check=True, capture_output=True, text=True, timeout=300)
    rows = map(ROW.fullmatch, done.stdout.splitlines())
    return [row.groups() for row in rows if row]


@pytest.mark.parametrize("trace", FIXED)
@pytest.mark.parametrize("options", [[], ["--marks"]])
def test_each_fixed_period_is_found_and_foretells_all_that_follows(trace,
                                                                  options):
    latest, lengths = FIXED[trace]
    rows = periods(trace, *options)
    assert [int(row[2]) for row in rows] == lengths
    assert int(rows[0][1]) <= latest
    for _, _, _, kind, laps, _, _, planned, left_out in rows:
        assert kind == "exact" and int(laps) <= 2
        assert float(planned) >= 99 and left_out == "0.00"


def test_training_and_evaluation_are_one_period_once_both_came_twice():
    rows = periods("resnet50_train_eval_mix")
    # 320 requests before the first iteration, 881 in that, then twice 3228.
    assert int(rows[1][0]) <= 320 + 881 + 2 * 3228


def test_in_texts_of_drawn_lengths_no_period_is_found():
    assert periods("bert_base_dynamic_bs16") == []
    assert periods("bert_base_dynamic_bs16", "--marks") == []


def test_a_trace_that_is_not_there_is_an_error(tmp_path):
    done = subprocess.run([os.path.join(BUILD, "bench", "periods"),
                           tmp_path / "none.csv"], check=False,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "none.csv" in done.stderr
