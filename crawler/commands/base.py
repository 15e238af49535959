"""What all commands share: texts of the help as attributes, and errors of one line."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeAlias

from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError
from scrapy.utils.misc import load_object

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from scrapy.crawler import CrawlerProcessBase
    from scrapy.settings import Settings

Option: TypeAlias = tuple[tuple[str, ...], dict[str, Any]]


class _HelpFormatter(ScrapyHelpFormatter):
    """Scrapy's help, in which no line of a text is a heading, though it ends in a colon."""

    def format_part_strings(self, part_strings: list[str]) -> list[str]:
        """Show Scrapy what argparse begins a help or a section with, and nothing else."""
        begins = 2 if part_strings[:1] == ["\n"] else 1
        return [*super().format_part_strings(part_strings[:begins]), *part_strings[begins:]]


def option(*names: str, **keywords: Any) -> Option:  # noqa: ANN401 - as argparse has it
    """Declare an option: the arguments of ``add_argument`` of argparse."""
    return names, keywords


def flag(name: str, text: str) -> Option:
    """Declare an option without a value, and its line in the help."""
    return option(name, action="store_true", help=text)


def valued(names: str, metavar: str, text: str, **keywords: Any) -> Option:  # noqa: ANN401 - as argparse has it
    """Declare an option with a value: its names, separated by spaces, and its line in the help."""
    return option(*names.split(), metavar=metavar, help=text, **keywords)


def whole_number(minimum: int) -> Callable[[str], int]:
    """Return what reads the value of an option as a whole number of at least ``minimum``."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < minimum:
            raise ArgumentTypeError(f"{text!r} is no whole number of {minimum} or more")
        return int(text)

    return read


class CorpusCommand(ScrapyCommand):
    """A command that works outside projects too.

    A subclass declares ``name``, ``usage``, ``summary``, ``description`` and ``options``, and names
    the function that ``runs``, or does its work in ``work``. Scrapy imports every command at every
    call of ``scrapy``: modules of commands import what the work needs where they do it.

    An error is one line on standard error, or one for each of its ``lines``; the exit code is the
    error's own: 1 or 2, see :mod:`crawler.core.errors`.
    """

    name: ClassVar[str]
    usage: ClassVar[str] = "[options]"
    summary: ClassVar[str]
    description: ClassVar[str]

    options: ClassVar[tuple[Option, ...]] = ()
    """What ``add_argument`` of argparse takes, for each option of its own."""
    runs: ClassVar[str] = ""
    """The path of a function that takes what :meth:`work` takes, and returns the exit code."""

    log_level: ClassVar[str] = ""
    """The level of the log where the call names none; empty for that of the project.

    A project's own is meant for its crawls: commands that print an answer log nothing.
    """

    stopped: ClassVar[str] = "stopped"
    """What is told after Ctrl-C."""

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

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options. What is wrong with them is an error of one line, too."""
        if parser.formatter_class is ScrapyHelpFormatter:
            parser.formatter_class = _HelpFormatter
        if self.log_level:
            # Above the project, and below the call; the help names it.
            self.given_settings.set("LOG_LEVEL", self.log_level, "spider")
        super().add_options(parser)
        self.end_in_a_line(parser)
        for names, keywords in self.options:
            parser.add_argument(*names, **keywords)

    def end_in_a_line(self, parser: argparse.ArgumentParser, verb: str = "") -> None:
        """Have a parser say in a line what is wrong with a call, of a verb where there are some."""

        def fail(message: str) -> NoReturn:
            parser.exit(
                2, f"scrapy {self.name}: {message}; {self.help_of(verb)} lists the options\n"
            )

        parser.error = fail  # type: ignore[method-assign] # argparse prints its whole usage

    def help_of(self, verb: str | None) -> str:
        """Return the call that shows the help of the command, or of one of its verbs."""
        return f"'scrapy {self.name} {verb} -h'" if verb else f"'scrapy {self.name} -h'"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options that all commands have."""
        from logging import getLevelNamesMapping

        if opts.loglevel and opts.loglevel not in (levels := getLevelNamesMapping()):
            names = ", ".join(name for name in levels if name not in {"NOTSET", "FATAL", "WARN"})
            raise UsageError(f"there is no log level {opts.loglevel}; the levels are {names}")
        try:
            super().process_options(args, opts)
        except UsageError as error:
            raise UsageError(self._feed_flaw(opts) or str(error)) from None
        settings = self.given_settings
        if settings["LOG_FILE"] and settings.getbool("LOG_ENABLED"):
            from crawler.extensions.logs import log_file_flaw

            if flaw := log_file_flaw(settings["LOG_FILE"]):
                raise UsageError(flaw)

    def _feed_flaw(self, opts: argparse.Namespace) -> str | None:
        """Say which feed of ``-o`` and ``-O`` has no known format; None where all have one."""
        from crawler.exporters.formats import known_formats, without_format

        # The commands that write one file have no option of this name.
        if not hasattr(opts, "overwrite_output"):
            return None
        feeds = opts.overwrite_output or opts.output or ()
        return without_format(feeds, known_formats(self.given_settings))

    @property
    def given_settings(self) -> Settings:
        """The settings of the project and of the command."""
        assert self.settings is not None  # noqa: S101 - Scrapy sets it before it calls
        return self.settings

    @property
    def process(self) -> CrawlerProcessBase:
        """The process that runs the crawls of the command."""
        assert self.crawler_process is not None  # noqa: S101 - Scrapy sets it before it calls run()
        return self.crawler_process

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the call, do the work, set the exit code."""
        from crawler.core.errors import ArgumentError, CorpusError
        from crawler.reports.stdout import for_a_reader, open_closed_streams, print_error

        open_closed_streams()
        try:
            if unknown := [arg for arg in args if arg.startswith("-") and arg != "-"]:
                shown = self.help_of(getattr(opts, "verb", None))
                raise ArgumentError(f"unknown option {unknown[0]}; {shown} lists the options")
            with for_a_reader():
                self.exitcode = self.work(args, opts, self.given_settings)
        except CorpusError as error:
            for line in getattr(error, "lines", [error]):
                print_error(self.name, line)
            self.exitcode = error.exit_code
        except KeyboardInterrupt:
            print_error(self.name, self.stopped)
            self.exitcode = 130  # as of a process that Ctrl-C ended

    def work(self, args: list[str], opts: argparse.Namespace, settings: Settings) -> int:
        """Do the work and return the exit code.

        Args:
            args: the arguments that are no options.
            opts: the options.
            settings: those of the project and of the command.

        Raises:
            CorpusError: the call is wrong, or the work cannot be done.
        """
        return int(load_object(self.runs)(args, opts, settings) or 0)


class QuietCommand(CorpusCommand):
    """A command that starts no crawl and writes no log."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
