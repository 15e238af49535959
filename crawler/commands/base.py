"""What all commands share: texts of the help as attributes, and errors of one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.settings import SETTINGS_PRIORITIES

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from scrapy.settings import Settings


class CorpusCommand(ScrapyCommand):
    """A command that works outside projects too.

    A subclass declares ``name``, ``usage``, ``summary`` and ``description``, and does its work in
    ``work``. Scrapy imports every command at every call of ``scrapy``: modules of commands import
    what the work needs where they do it.

    An error is one line on standard error; the exit code is the error's own: 1 or 2, see
    :mod:`crawler.core.errors`.
    """

    name: ClassVar[str]
    usage: ClassVar[str] = "[options]"
    summary: ClassVar[str]
    description: ClassVar[str]

    has_answer: ClassVar[bool] = False
    """Whether standard output gets an answer, and the log only what the call asks for."""

    requires_project = False

    def syntax(self) -> str:
        """Return what follows the command's name in its help."""
        return self.usage

    def short_desc(self) -> str:
        """Return the line in the list of commands."""
        return self.summary

    def long_desc(self) -> str:
        """Return the text of the command's help."""
        return self.description

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options that all commands have."""
        super().process_options(args, opts)
        settings = self.given_settings
        # A project's own level is meant for its crawls.
        if (
            self.has_answer
            and (settings.getpriority("LOG_LEVEL") or 0) < SETTINGS_PRIORITIES["cmdline"]
        ):
            settings.set("LOG_LEVEL", "CRITICAL", "cmdline")

    @property
    def given_settings(self) -> Settings:
        """The settings of the project and of the call."""
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
        return self.settings

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the call, do the work, set the exit code."""
        from crawler.core.errors import ArgumentError, CorpusError
        from crawler.reports.stdout import for_a_reader, print_error

        try:
            if unknown := [arg for arg in args if arg.startswith("-") and arg != "-"]:
                raise ArgumentError(
                    f"unknown option {unknown[0]}; 'scrapy {self.name} -h' lists the options"
                )
            with for_a_reader():
                self.exitcode = self.work(args, opts, self.given_settings)
        except CorpusError as error:
            print_error(self.name, error)
            self.exitcode = error.exit_code

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Do the work and return the exit code.

        Args:
            args: the arguments that are no options.
            opts: the options.
            settings: those of the project and of the call.

        Raises:
            CorpusError: the call is wrong, or the work cannot be done.
        """
        raise NotImplementedError


class QuietCommand(CorpusCommand):
    """A command that starts no crawl and writes no log."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
