"""Build the compiled part, the ``.pyx`` files of ``crawler/core``, where there is a C compiler.

Without one the package is whole too: the same work is done in Python, more slowly. In a checkout
``python hatch_build.py`` builds it in place.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = (
    Path("crawler", "core", "hot_loops", "compiled_elements.pyx"),
    Path("crawler", "core", "hot_loops", "compiled_judges.pyx"),
    Path("crawler", "core", "hot_loops", "compiled_sentences.pyx"),
    Path("crawler", "core", "hot_loops", "compiled_text.pyx"),
    Path("crawler", "core", "page", "compiled_cutter.pyx"),
)


def build() -> list[Path]:
    """Compile the extensions beside their sources; return their files."""
    import lxml
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    names = [".".join(source.with_suffix("").parts) for source in SOURCES]
    includes = lxml.get_include()
    # Compiled sums equal those of numpy on machines, too, that fuse multiplying and adding.
    options = ["-g0", "-ffp-contract=off"]
    extensions = [
        Extension(name, [str(source)], include_dirs=includes, extra_compile_args=options)
        for name, source in zip(names, SOURCES, strict=True)
    ]
    # The C files are written where they are not packed with the sources.
    modules = cythonize(extensions, build_dir="build", language_level=3, quiet=True)
    command = build_ext(Distribution({"name": "compiled", "ext_modules": modules}))
    command.inplace = True
    command.ensure_finalized()
    command.run()
    return [Path(command.get_ext_filename(name)) for name in names]


class CompiledPart(BuildHookInterface[Any]):
    """Adds the extension to a wheel, if it can be built."""

    def initialize(
        self,
        version: str,  # noqa: ARG002 - as the interface has it
        build_data: dict[str, Any],
    ) -> None:
        """Build it, or say why there is none."""
        try:
            files = build()
        # Whatever a compiler, or the lack of one, raises: the package works without.
        except (Exception, SystemExit) as error:  # noqa: BLE001 - as said above
            self.app.display_warning(f"no compiled part, Python does its work: {error}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"] += [file.as_posix() for file in files]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{file}\n" for file in build()))
