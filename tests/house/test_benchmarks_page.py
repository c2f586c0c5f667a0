"""docs/benchmarks.md shows runs that reached their goals, of scripts that are there."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "benchmarks.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```text\n\$ python benchmarks/(\w+)\.py\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(("name", "output"), BLOCKS, ids=[name for name, _ in BLOCKS])
def test_a_run_names_its_setting_and_reached_the_goal_of_its_script(name, output):
    script = (REPOSITORY / "benchmarks" / f"{name}.py").read_text(encoding="utf-8")
    goal = float(re.search(r"^GOAL[^=]*= (\d+\.\d)", script, re.MULTILINE)[1])
    assert re.match(r"\d+ cores of .+; Python [\d.]+, numpy [\d.]+.*; CPU seconds", output)
    assert f"goal {goal:.0f}" in output or f"goal: {goal:.0f} times" in output
    assert "missed" not in output
    reached = re.search(r"([\d.]+) times its speed", output)
    assert reached is None or float(reached[1]) >= goal


def test_every_benchmark_with_a_ratio_is_shown():
    assert [name for name, _ in BLOCKS] == ["bootstrap", "kappa", "logistic", "bradley_terry", "reduce"]
