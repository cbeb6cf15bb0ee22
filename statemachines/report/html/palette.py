"""The page's colours of bars: those of the pictures."""

from __future__ import annotations

from statemachines.draw.theme import DARK, LIGHT, Theme


def palette() -> str:
    """Return the style sheet's variables for light, and for those who prefer dark; `--shade0` and
    so on, `--out`, `--edge`.
    """
    return (
        f":root {{ {_style_variables(LIGHT)} }}\n@media (prefers-color-scheme: dark) {{ :root {{"
        f" {_style_variables(DARK)} }} }}\n"
    )


def _style_variables(theme: Theme) -> str:
    shades = {f"shade{index}": shade for index, shade in enumerate(theme.shades)}
    colours = shades | {
        "out": theme.out,
        "out-edge": theme.out_edge,
        "edge": theme.course_edge,
        "grid": theme.group_edge,
    }
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())
