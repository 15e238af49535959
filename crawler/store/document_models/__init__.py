"""Document models: those that come with the project, by name, and files of a user's own."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from crawler.core.errors import UnreadableInputError
from crawler.core.structure.medl import MOST_CHARS, parse_model
from crawler.core.structure.model import Model

__all__ = ["load_model", "model_names"]

_ENDING = ".medl"


def model_names() -> tuple[str, ...]:
    """Return the names of the models that come with the project, sorted."""
    names = (entry.name for entry in files("crawler.store.document_models").iterdir())
    return tuple(sorted(name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING)))


def load_model(name: str) -> Model:
    """Return a model: one that comes with the project by its name, else a file by its path.

    Raises:
        ModelError: the model is wrong; the message names the file, line and column.
        UnreadableInputError: there is no such model, or its file cannot be read.
    """
    if name in model_names():
        source = files("crawler.store.document_models").joinpath(name + _ENDING).read_text("utf-8")
        # The model of the paper is as it was printed: its warnings ask nothing of a user.
        return replace(parse_model(source, name), warnings=())
    path = Path(name)
    try:
        # Four bytes are the most that UTF-8 has for a character.
        with path.open("rb") as file:
            data = file.read(4 * MOST_CHARS + 1)
        return parse_model(data.decode("utf-8-sig"), name)
    except UnicodeDecodeError as error:
        raise UnreadableInputError(f"{name}: not UTF-8; save the model as UTF-8") from error
    except OSError as error:
        raise UnreadableInputError(
            f"{name} is neither a file nor a model of the project ({error.strerror or error}); "
            f"the models are: {', '.join(model_names())}"
        ) from error
