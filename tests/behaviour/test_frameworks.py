"""mnm run --frameworks: what it sets, and what it leaves to the user; and what
mnm doctor says of the same frameworks."""

import os
import re
import subprocess

import pytest

from conftest import DEADLINE, MNM, ROOT, SANITIZERS
from test_doctor import doctor, fake_python, found, no_driver

ASYNC = "backend:cudaMallocAsync"
NEW, OLD = "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"
JAX, AHEAD = "XLA_PYTHON_CLIENT_ALLOCATOR", "XLA_PYTHON_CLIENT_PREALLOCATE"


def start(box, words, program, variables):
    """Nothing of the tests' own environment but PATH reaches the program."""
    env = {"PATH": os.environ["PATH"], "MNM_SOCKET_DIR": box.sockets,
           "LD_PRELOAD": ":".join(SANITIZERS),
           "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0",
           **variables}
    return subprocess.run([MNM, "run", *words, "--", *program], env=env,
                          capture_output=True, timeout=DEADLINE, check=False)


def run(box, *words, **variables):
    """The variables that are new or changed in the program, and what mnm said
    of each framework."""
    done = start(box, words, ["env", "-0"], variables)
    assert done.returncode == 0, done.stderr
    after = dict(pair.split("=", 1) for pair in
                 done.stdout.decode().split("\0")[:-1])
    assert set(variables) <= set(after)
    lines = dict(line.removeprefix("mnm run: ").split(": ", 1)
                 for line in done.stderr.decode().splitlines())
    return {name: value for name, value in after.items()
            if variables.get(name) != value and
            not name.startswith(("LD_", "ASAN_", "MNM_", "PATH"))}, lines


def rows():
    """The table as --help has it: (variables, whether it is for all) by
    name."""
    text = subprocess.run([MNM, "run", "--help"], capture_output=True,
                          text=True, check=True).stdout
    found, name = {}, None
    for line in text.split("\nFrameworks")[1].splitlines()[1:]:
        if match := re.match(r"  (\w+) +(.*)", line):
            name = match[1]
            found[name] = ({}, not match[2].endswith(", only if it is named"))
        elif match := re.match(r"      (\w+)=(\S+)$", line):
            found[name][0][match[1]] = match[2]
    assert len(found) >= 7 and all(row[0] for row in found.values())
    return found


def test_without_the_option_nothing_is_set(box):
    assert run(box) == ({}, {})


@pytest.mark.parametrize("word", ["--frameworks", "--frameworks=all"])
def test_all_are_set_but_those_that_have_to_be_named(box, word):
    wanted = {name: row for name, (row, is_meant) in rows().items() if is_meant}
    made, said = run(box, word)
    assert made == {name: value for row in wanted.values()
                    for name, value in row.items()}
    assert said == {name: "set " + " ".join(map("=".join, row.items()))
                    for name, row in wanted.items()}


@pytest.mark.parametrize("names", ["torch", "jax", "torch,jax", "jax,torch,jax",
                                   "cudf", "polars,dali", "all,cudf"])
def test_those_are_set_that_are_named(box, names):
    chosen = set(names.split(","))
    wanted = {name: row for name, (row, is_meant) in rows().items()
              if name in chosen or ("all" in chosen and is_meant)}
    made, said = run(box, f"--frameworks={names}")
    assert made == {name: value for row in wanted.values()
                    for name, value in row.items()}
    assert list(said) == list(wanted)


@pytest.mark.parametrize("before, after", [
    ({OLD: "max_split_size_mb:512"},
     {NEW: f"max_split_size_mb:512,{ASYNC}",
      OLD: f"max_split_size_mb:512,{ASYNC}"}),
    # An older PyTorch does not know what is meant for a newer one.
    ({NEW: "new_option:1"}, {NEW: f"new_option:1,{ASYNC}", OLD: ASYNC}),
    ({NEW: "a:1", OLD: "b:2"}, {NEW: f"a:1,{ASYNC}", OLD: f"b:2,{ASYNC}"}),
    ({OLD: ""}, {NEW: ASYNC, OLD: ASYNC}),
    ({OLD: "a:1,"}, {NEW: f"a:1,{ASYNC}", OLD: f"a:1,{ASYNC}"}),
    ({NEW: "roundup_power2_divisions:[256:1,>:2]"},
     {NEW: f"roundup_power2_divisions:[256:1,>:2],{ASYNC}", OLD: ASYNC}),
    ({NEW: "my_backend:x,backend_too:y"},
     {NEW: f"my_backend:x,backend_too:y,{ASYNC}", OLD: ASYNC}),
    # What asks already is left, in one of the names or in both.
    ({OLD: ASYNC}, {}), ({NEW: f"{ASYNC},a:1"}, {OLD: ASYNC}),
    ({OLD: f"a:1, {ASYNC} ,b:2"}, {}), ({NEW: ASYNC, OLD: ASYNC}, {})])
def test_a_list_of_pytorch_is_extended_and_not_lost(box, before, after):
    made, said = run(box, "--frameworks=torch", **before)
    assert made == after
    assert list(said) == ["torch"]
    for name, value in after.items():
        assert f" {name}={value}" in said["torch"]


@pytest.mark.parametrize("name, variable, value", [
    ("torch", NEW, "backend:native"), ("torch", OLD, "a:1,backend:native,b:2"),
    ("torch", NEW, f"{ASYNC}2"), ("torch", OLD, "backend : native"),
    ("torch", OLD, f"backend:native,{ASYNC}"),
    ("torch", "PYTORCH_NO_CUDA_MEMORY_CACHING", "1"),
    ("jax", JAX, "platform"), ("jax", JAX, "cuda_async2"), ("jax", JAX, "cuda"),
    ("jax", "XLA_PYTHON_CLIENT_USE_TFRT_GPU_CLIENT", "1"),
    ("tensorflow", "TF_GPU_ALLOCATOR", "cuda_malloc"),
    ("paddle", "FLAGS_use_cuda_malloc_async_allocator", "0"),
    ("paddle", "FLAGS_use_cuda_managed_memory", "true"),
    ("dali", "DALI_USE_VMM", "1"), ("dali", "DALI_USE_DEVICE_MEM_POOL", "0"),
    ("cudf", "CUDF_PANDAS_RMM_MODE", "managed_pool"),
    ("polars", "POLARS_GPU_ENABLE_CUDA_MANAGED_MEMORY", "1")])
def test_another_choice_of_the_user_is_left_and_told(box, name, variable,
                                                     value):
    made, said = run(box, f"--frameworks={name}", **{variable: value})
    assert made == {}
    assert said == {name: f"left as it is, for {variable}={value}"}


def test_another_choice_for_one_framework_is_none_for_the_others(box):
    made, said = run(box, "--frameworks=torch,jax", **{JAX: "platform"})
    assert made == {NEW: ASYNC, OLD: ASYNC}
    assert said["jax"].startswith("left as it is")


def test_a_reserve_that_the_user_wants_is_kept(box):
    made, said = run(box, "--frameworks=jax", **{AHEAD: "true"})
    assert made == {JAX: "cuda_async"}
    assert said == {"jax": f"set {JAX}=cuda_async, kept {AHEAD}=true"}


def test_an_empty_variable_is_not_set(box):
    made, _ = run(box, "--frameworks=jax", **{JAX: "", AHEAD: ""})
    assert made == {JAX: "cuda_async", AHEAD: "false"}


def test_what_is_right_already_is_kept(box):
    made, said = run(box, "--frameworks=jax",
                     **{JAX: "cuda_async", AHEAD: "false"})
    assert made == {}
    assert said == {"jax": f"kept {JAX}=cuda_async {AHEAD}=false"}


def test_a_value_is_one_line_of_plain_text(box):
    value = "x\033[31m\nmnm run: y: z"
    made, said = run(box, "--frameworks=jax", **{JAX: value})
    assert made == {}
    assert said == {"jax": f"left as it is, for {JAX}=x?[31m?mnm run: y: z"}


@pytest.mark.parametrize("names, wrong", [
    ("nonsense", "nonsense"), ("", ""), ("torch,", ""), ("torch,,jax", ""),
    ("jax,Torch", "Torch"), ("torch jax", "torch jax"), ("\033[2J", "?[2J")])
def test_an_unknown_name_is_one_line_and_starts_nothing(box, names, wrong):
    mark = os.path.join(box.folder, "started")
    done = start(box, [f"--frameworks={names}"], ["touch", mark], {})
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        f"mnm run: --frameworks '{wrong}'; allowed: all, " +
        ", ".join(rows()) + ", or several with commas\n")
    assert not os.path.exists(mark)


@pytest.mark.parametrize("names", ["torch", "torch,jax", "all"])
def test_names_that_are_taken_for_the_program_are_told(box, names):
    done = start(box, ["--frameworks=dali"], [names], {})
    assert (done.returncode, done.stdout) == (127, b"")
    assert done.stderr.decode().splitlines()[1:] == [
        f"mnm: {names}: No such file or directory (for the frameworks: "
        f"--frameworks={names})"]


@pytest.mark.parametrize("words, variables", [
    (["--set", "stream_ordered=0"], {}), ([], {"MNM_STREAM_ORDERED": "0"})])
def test_what_is_left_to_cuda_is_told(box, words, variables):
    """A comparison with CUDA's own pools may want that."""
    done = start(box, ["--frameworks=torch", *words], ["true"], variables)
    assert done.returncode == 0
    assert done.stderr.decode().splitlines()[1:] == [
        "mnm run: stream_ordered=0: CUDA's own pools serve what the frameworks "
        "ask for"]


def test_a_wrong_option_beside_it_sets_nothing(box):
    done = start(box, ["--frameworks", "--pool=nonsense"], ["env"], {})
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1


def test_the_page_and_the_manual_have_each_framework_and_variable():
    def read(name):
        with open(os.path.join(ROOT, "docs", name), encoding="utf-8") as file:
            return file.read()

    page, manual = read("frameworks.md"), read("mnm.1").replace("\\", "")
    for name, (variables, _) in rows().items():
        assert f"| `{name}` |" in page, name
        assert f"fI{name}fR" in manual, name
        for variable, value in variables.items():
            assert f"`{variable}={value}`" in page, variable


def python_with(box, *modules):
    """The variables by which doctor finds a Python with these modules."""
    env = fake_python(box)
    for name in modules:
        os.makedirs(os.path.join(box.folder, "lib/python3.11/site-packages",
                                 name), exist_ok=True)
    return {**env, **dict.fromkeys((NEW, OLD, JAX, AHEAD), "")}


@pytest.mark.parametrize("module, name, level, lost", [
    ("torch", "torch", "warning", "torch.compile with CUDA graphs"),
    ("jax", "jax", "warning", "sets aside at its start"),
    ("tensorflow", "tensorflow", "warning", "several GPUs in one process"),
    ("paddle", "paddle", "warning", "options of Paddle's own cache"),
    ("nvidia/dali", "dali", "warning", "DALI's own pool"),
    ("cudf", "cudf", "ok", "data larger than the device's memory"),
    ("cudf_polars", "polars", "warning", "data larger than the device's")])
def test_doctor_says_what_to_set_for_a_module_and_what_is_lost(
        box, module, name, level, lost):
    _, findings = doctor(box, "--", "python3.11", **python_with(box, module))
    advice = found(findings, level, "python", f"/{module}: ")["advice"]
    assert f"`mnm run --frameworks={name}`" in advice and lost in advice


@pytest.mark.parametrize("module, name", [
    ("torch", "torch"), ("jax", "jax"), ("tensorflow", "tensorflow"),
    ("paddle", "paddle"), ("nvidia/dali", "dali"), ("cudf", "cudf"),
    ("cudf_polars", "polars")])
def test_doctor_sees_what_run_sets(box, module, name):
    env = {**python_with(box, module), **rows()[name][0]}
    _, findings = doctor(box, "--", "python3.11", **env)
    said = found(findings, "ok", "python", f"/{module}: ")["finding"]
    assert "asks by cudaMallocAsync" in said
    found(findings, "ok", "allocators", "asks by cudaMallocAsync")


def test_doctor_says_what_is_lost_where_a_framework_asks(box):
    """And nothing of options that it does not read then."""
    env = {**python_with(box), NEW: f"{ASYNC},expandable_segments:True"}
    _, findings = doctor(box, "--", "python3.11", **env)
    advice = found(findings, "ok", "python", "/torch: ")["advice"]
    assert advice.startswith("lost by that: torch.compile with CUDA graphs")
    assert not [f for f in findings if "cuMemCreate" in f["finding"]]


@pytest.mark.parametrize("module, name, variable", [
    ("jax", "jax", "XLA_PYTHON_CLIENT_USE_TFRT_GPU_CLIENT"),
    ("nvidia/dali", "dali", "DALI_USE_VMM"),
    ("paddle", "paddle", "FLAGS_use_cuda_managed_memory")])
def test_doctor_sees_what_does_not_go_with_it(box, module, name, variable):
    env = {**python_with(box, module), **rows()[name][0], variable: "1"}
    _, findings = doctor(box, "--", "python3.11", **env)
    advice = found(findings, "warning", "python", f"/{module}: ")["advice"]
    assert f"without {variable}, `mnm run --frameworks={name}`" in advice
    assert not [f for f in findings if "which mnm serves" in f["finding"]]


@pytest.mark.parametrize("module, title", [
    ("cuda/core", "cuda.core"), ("warp", "Warp"),
    ("ctranslate2", "CTranslate2")])
@pytest.mark.parametrize("value, level", [("1", "ok"), ("0", "warning")])
def test_doctor_knows_modules_that_need_no_variable(box, module, title, value,
                                                    level):
    env = {**python_with(box, module), "MNM_STREAM_ORDERED": value}
    _, findings = doctor(box, "--", "python3.11", **env)
    found(findings, level, "python",
          f"/{module}: {title} asks by cudaMallocAsync, ")
    assert len([f for f in findings if title in f["finding"]]) == 1


def test_doctor_sees_that_a_module_has_a_cache_of_its_own(box):
    env = {**python_with(box, "ctranslate2"),
           "CT2_CUDA_ALLOCATOR": "cub_caching"}
    _, findings = doctor(box, "--", "python3.11", **env)
    assert not [f for f in findings if "CTranslate2 asks" in f["finding"]]


@pytest.mark.parametrize("variables, subject, words", [
    ({NEW: ASYNC}, "allocators", "PyTorch asks by cudaMallocAsync, "),
    ({NEW: ASYNC}, "python", "PyTorch asks by cudaMallocAsync, "),
    ({"CT2_CUDA_ALLOCATOR": "cuda_malloc_async"}, "allocators",
     "CTranslate2 asks by cudaMallocAsync, ")])
def test_doctor_sees_that_it_is_left_to_cuda(box, variables, subject, words):
    env = {**python_with(box), **variables, "MNM_STREAM_ORDERED": "0"}
    _, findings = doctor(box, "--", "python3.11", **env)
    one = found(findings, "warning", subject, words)
    assert one["finding"].endswith("which MNM_STREAM_ORDERED=0 leaves to CUDA")
    assert "unset MNM_STREAM_ORDERED" in one["advice"]


def test_doctor_takes_a_choice_that_contradicts_itself_for_none(box):
    _, findings = doctor(box, **no_driver(box),
                         **{NEW: ASYNC, OLD: "backend:native"})
    assert not [f for f in findings if "cudaMallocAsync," in f["finding"]]


def test_a_jax_that_ignores_one_value_takes_another(box):
    env = python_with(box, "jax", "jaxlib-0.10.1.dist-info")
    _, findings = doctor(box, "--", "python3.11", **{**env, JAX: "platform"})
    assert "--frameworks=jax`" in found(
        findings, "warning", "python", "divides memory itself")["advice"]
    _, findings = doctor(box, "--", "python3.11", **{**env, JAX: "cuda_async"})
    assert "asks by cudaMallocAsync" in found(
        findings, "ok", "python", "/jax: ")["finding"]
