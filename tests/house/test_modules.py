"""What holds for every module of the package: it imports, its examples are true, it can be read."""

import doctest
import importlib.util
import pkgutil
from pathlib import Path

import pytest

import recuse

MODULES = sorted(module.name for module in pkgutil.walk_packages(recuse.__path__, "recuse."))
VAGUE = {"utils", "util", "helpers", "helper", "common", "core", "manager", "misc"}


@pytest.mark.parametrize("name", [name for name in MODULES if name != "recuse.__main__"])
def test_its_examples_are_true(name):
    examples = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name))
    runner = doctest.DocTestRunner(verbose=False)
    for example in examples:
        runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


def test_no_module_is_longer_than_a_reader_holds():
    long = [
        f"{name} ({count})"
        for name in MODULES
        if (path := importlib.util.find_spec(name).origin)
        and (count := len(Path(path).read_text(encoding="utf-8").splitlines())) > 350
    ]
    assert not long


def test_no_module_is_named_after_nothing():
    assert not [name for name in MODULES if name.rpartition(".")[2] in VAGUE]
