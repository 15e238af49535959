"""Build the compiled part, ``crawler/core/compiled.pyx``, where there is a C compiler.

Without one the package is whole too: the same work is done in Python, more slowly. In a checkout
``python hatch_build.py`` builds it in place.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("crawler", "core", "compiled.pyx")


def build() -> Path:
    """Compile the extension beside its source; return its file."""
    import lxml
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    name = ".".join(SOURCE.with_suffix("").parts)
    includes = lxml.get_include()
    extension = Extension(name, [str(SOURCE)], include_dirs=includes, extra_compile_args=["-g0"])
    # The C file is written where it is not packed with the sources.
    modules = cythonize([extension], build_dir="build", language_level=3, quiet=True)
    command = build_ext(Distribution({"name": name, "ext_modules": modules}))
    command.inplace = True
    command.ensure_finalized()
    command.run()
    return Path(command.get_ext_filename(name))


class CompiledPart(BuildHookInterface[Any]):
    """Adds the extension to a wheel, if it can be built."""

    def initialize(
        self,
        version: str,  # noqa: ARG002 - as the interface has it
        build_data: dict[str, Any],
    ) -> None:
        """Build it, or say why there is none."""
        try:
            built = build()
        # Whatever a compiler, or the lack of one, raises: the package works without.
        except (Exception, SystemExit) as error:  # noqa: BLE001 - as said above
            self.app.display_warning(f"no compiled part, Python does its work: {error}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"].append(built.as_posix())


if __name__ == "__main__":
    sys.stdout.write(f"{build()}\n")
