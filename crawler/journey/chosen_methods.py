"""The table method, the document model and the word lists that the settings choose."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING

from crawler.core.errors import OptionError
from crawler.core.structure.structure import check_structure_method
from crawler.core.tables.classify import get_table_method
from crawler.core.tables.paper_method import Constants
from crawler.core.tables.words import load_words
from crawler.store.document_models import load_model

if TYPE_CHECKING:
    from crawler.core.structure.model import Model
    from crawler.core.tables.classify import TableMethod
    from crawler.core.tables.words import Words
    from crawler.settings import Options


def table_method(options: Options, words: Words | None = None) -> TableMethod:
    """Return the table method that the settings ask for; ``words`` are those they add.

    Raises:
        UnknownMethodError: there is none of that name.
    """
    constants = Constants(**asdict(options.table_constants))
    return get_table_method(options.table_method, constants, words)


def structure_model(options: Options) -> Model | None:
    """Return the document model of the settings; ``None`` where they name none.

    Raises:
        UnknownMethodError: there is no structure method of that name.
        ModelError: the model is wrong; the message names file, line and column.
        UnreadableInputError: there is no such model.
    """
    if options.structure_model is None:
        return None
    check_structure_method(options.structure_method)
    return load_model(options.structure_model)


def table_words(options: Options) -> Words | None:
    """Return the lists by which tables are told, those of the settings added; None for no more.

    Raises:
        OptionError: the file is missing or not of the right form.
    """
    path = options.table_words
    if path is None:
        return None
    try:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        lists = [json.loads(file.read_text("utf-8")) for file in files]
    except (OSError, ValueError) as error:
        raise OptionError(
            f"CORPUS_TABLE_WORDS is {str(path)!r}, which cannot be read as JSON ({error}). It "
            "accepts a file, or a folder of files, as docs/tables.md describes them."
        ) from error
    if not lists:
        raise OptionError(
            f"CORPUS_TABLE_WORDS is {str(path)!r}, a folder without any .json file in it."
        )
    for file, each in zip(files, lists, strict=True):
        # A file called cs.json holds the marks of that language.
        if isinstance(each, dict) and re.fullmatch("[a-z]{2,3}", file.stem):
            each.setdefault("language", file.stem)
    return load_words(lists, [str(file) for file in files])
