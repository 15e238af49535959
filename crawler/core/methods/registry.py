"""Text methods by name.

``get_method("frequency-adaptive")`` returns one of the project's own;
``get_method("package.module:attribute")`` returns anybody's object that has the
:class:`~crawler.core.methods.BlockMethod` interface.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from crawler.core.errors import UnknownMethodError
from crawler.core.methods import BlockMethod, PieceMethod, TextMethod
from crawler.core.methods.adaptive import AdaptiveFrequency
from crawler.core.methods.article.method import Article

DEFAULT_METHOD = "article"

_USUAL: tuple[TextMethod, ...] = (Article(), AdaptiveFrequency())


@cache
def _methods() -> Mapping[str, TextMethod]:
    """Return all methods by name; those of papers are loaded when one is asked for."""
    from crawler.core.methods.news import NEWS_METHODS  # noqa: PLC0415 - see above
    from crawler.core.methods.published import Density, TextFrequency  # noqa: PLC0415 - as above

    own: tuple[TextMethod, ...] = (*_USUAL, TextFrequency(), Density(), *NEWS_METHODS)
    return {method.name: method for method in own}


def method_names() -> tuple[str, ...]:
    """Return the names of the project's own methods."""
    return tuple(_methods())


def get_method(name: str) -> TextMethod:
    """Return the method of that name.

    Args:
        name: one of :func:`method_names`, or ``package.module:attribute`` for a method of your
            own: an object, or a class to be called without arguments.

    Raises:
        UnknownMethodError: there is no such method, or it cannot be imported, or it does not have
            the interface of :class:`BlockMethod` or :class:`PieceMethod`.
    """
    for usual in _USUAL:
        if usual.name == name:
            return usual
    module, separator, attribute = name.partition(":")
    if not separator:
        if name in _methods():
            return _methods()[name]
        known = ", ".join(method_names())
        raise UnknownMethodError(
            f"no text method {name!r}; use one of: {known}; or package.module:attribute"
        )
    try:
        found = getattr(import_module(module), attribute)
        method = found() if isinstance(found, type) else found
    except Exception as error:
        # Code of the user, which may fail in any way.
        raise UnknownMethodError(f"text method {name!r} cannot be imported: {error}") from error
    if not isinstance(method, BlockMethod | PieceMethod):
        raise UnknownMethodError(
            f"text method {name!r} needs a 'name' and a 'label' (or 'judge') method"
        )
    return method
