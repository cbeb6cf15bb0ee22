"""Long lines are broken as common formatters break them."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from statemachines.api.catalogue import find, in_release, names
from statemachines.embed.generate import generate_code
from statemachines.embed.script import tidy
from statemachines.embed.wrapping import wrapped
from statemachines.model.machines import Spec
from tests.expression_worlds import texts


def formatted(folder: Path) -> subprocess.CompletedProcess[str]:
    """Let ruff say, under its own defaults, what it would change in a folder."""
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache", "--diff", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_code_of_the_whole_catalogue_is_left_alone_by_a_formatter(tmp_path: Path) -> None:
    """Guards, cases and definitions of hundreds of signs included."""
    for name in names():
        spec = find(name)
        if isinstance(spec, Spec):
            (tmp_path / f"{name.replace('/', '_')}.py").write_text(generate_code(in_release(spec, None)[0]))
    done = formatted(tmp_path)
    assert done.returncode == 0, done.stdout[:3000]


@pytest.mark.long
def test_random_expressions_mean_the_same_when_they_are_wrapped() -> None:
    """Law: what is broken is read as it was, whatever stands before and behind it."""

    @settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=[Phase.generate], database=None)
    @given(texts(), texts())
    def law(one: str, other: str) -> None:
        for text in (one, f"({one}, {other})", f"{{a: {one}, b: {other}}}"):
            source = tidy(text)
            for lead, tail in (("value = ", ""), ("return ", ""), ("if ", ":")):
                lines = wrapped("        ", lead, source, tail)
                body = "\n".join(lines) + (" pass" if tail else "")
                again = f"def f():\n    if True:\n{body}\n"
                plain = f"def f():\n    if True:\n        {lead}{source}{tail}{' pass' if tail else ''}\n"
                assert ast.dump(ast.parse(again)) == ast.dump(ast.parse(plain)), body

    law()


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("alpha_alpha_alpha(beta_beta_beta, gamma_gamma_gamma, delta_delta_delta_delta, epsilon_epsilon)", 3),
        ("[alpha_alpha_alpha, beta_beta_beta, gamma_gamma_gamma, delta_delta_delta_delta, epsilon_epsilon]", 7),
        ("alpha_alpha_alpha in (beta_beta_beta, gamma_gamma_gamma, delta_delta_delta_delta, epsilon_epsilon)", 6),
        ("alpha_alpha_alpha_alpha_alpha + beta_beta_beta_beta_beta_beta - gamma_gamma_gamma_gamma_gamma_gamma", 5),
    ],
)
def test_each_bracket_is_opened_in_its_own_way(source: str, lines: int) -> None:
    """Arguments together where they fit, elements one a line, operands one a line in parentheses of their own."""
    assert len(wrapped("", "x = ", source)) == lines
