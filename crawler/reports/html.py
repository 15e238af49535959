"""HTML pages: jinja2 templates over one base page with one style sheet.

A page is one file that needs nothing else: no script, font or style from elsewhere. Templates lie
in ``templates/`` and extend ``base.html``. Values are escaped, and control and format characters in
them are left out.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment


def render_page(template: str, **values: object) -> str:
    """Return a page as text.

    Args:
        template: name of a file in ``templates/``, such as ``curve.html``.
        values: what the template shows. Each page needs ``title``.

    Raises:
        jinja2.UndefinedError: the template needs a value that is not given.
    """
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    # Few calls make a page, and jinja2 takes a while to import.
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - as said above

    return Environment(
        loader=PackageLoader("crawler.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_printable,
    )


def _printable(value: object) -> object:
    """Drop control and format characters, which browsers act upon, from text that is no HTML."""
    if isinstance(value, str) and not isinstance(value, Markup) and not value.isprintable():
        return "".join(filter(str.isprintable, value))
    return value
