"""How the elements of one page look, as rules of its own: a page without any `style` attribute, so
that a browser is told to obey nothing but what was written with it.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import unescape

from attrs import define, field

from statemachines.report.html.elements import Markup

_STYLED_TAG = re.compile(r'(<[a-z][\w-]*)((?: [^<>]*)?) style="([^"<>]*)"([^<>]*>)')
_CLASS = re.compile(r' class="')
_STYLE_ELEMENT = re.compile(r"<style>(.*?)</style>", re.DOTALL)


@define
class PageStyles:
    """Gives each look that elements of a page have a class; the same look has the same."""

    _classes: dict[str, str] = field(factory=dict, init=False)

    def class_of(self, declarations: str) -> str:
        """Return the class of a look.

        >>> styles = PageStyles()
        >>> styles.class_of("--l: 5"), styles.class_of("--l: 7"), styles.class_of("--l: 5")
        ('s0', 's1', 's0')

        Args:
            declarations: of CSS, between semicolons.

        Returns:
            The name of a class; the same for the same declarations.
        """
        return self._classes.setdefault(declarations, f"s{len(self._classes)}")

    def without_attributes(self, picture: str) -> Markup:
        """Return a picture whose `style` attributes are classes.

        >>> PageStyles().without_attributes('<path d="M0" style="stroke-width: 3"/>')
        '<path d="M0" class="s0"/>'

        Args:
            picture: an SVG element.

        Returns:
            The same picture.
        """
        return Markup(_STYLED_TAG.sub(self._with_class, picture))

    def _with_class(self, match: re.Match[str]) -> str:
        begin, before, declarations, after = match.groups()
        texts = (declaration.strip() for declaration in declarations.split(";"))
        name = self.class_of("; ".join(f"{text} !important" for text in texts if text))
        attributes = f"{before}{after}"
        if _CLASS.search(attributes):
            return begin + _CLASS.sub(f' class="{name} ', attributes, count=1)
        return f'{begin}{before} class="{name}"{after}'

    def sheet(self) -> str:
        """Return the rules of all looks, for a style element of the page."""
        return "".join(f".{name}{{{css}}}\n" for css, name in self._classes.items())


def content_policy(styles: list[str], script: str, body: str) -> str:
    """Return what a browser may obey in a page: the style and the script that were written with it,
    and the styles of its pictures; nothing is loaded, and nothing that a log says is obeyed.

    Args:
        styles: the texts of style elements of the page's head.
        script: the text of its only script.
        body: markup, perhaps with pictures that have a style element each.

    Returns:
        The content of a `Content-Security-Policy`.

    Source: W3C, Content Security Policy Level 3, for the hashes.
    """
    embedded = (unescape(text) for text in _STYLE_ELEMENT.findall(body))
    known = dict.fromkeys(_source_hash(text) for text in (*styles, *embedded))
    return (
        f"default-src 'none'; style-src {' '.join(known)}; script-src {_source_hash(script)};"
        " base-uri 'none'; form-action 'none'"
    )


def _source_hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
