"""The add-on is known by what its name in ADDONS stands for, and by being switched on."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings
from scrapy.utils.conf import build_component_list
from scrapy.utils.misc import load_object

from crawler.addon import CorpusAddon, has_addon, switch_on
from crawler.journey.stages import STAGES
from crawler.pipelines.order import ITEM_PIPELINES

NAME = "crawler.addon.CorpusAddon"


class Derived(CorpusAddon):
    """An add-on of a project's own."""


class Other:
    """An add-on that has nothing to do with this package."""


Other.__name__ = "CorpusAddon"


@pytest.mark.parametrize(
    ("addons", "is_on"),
    [
        ({}, False),
        ({NAME: 500}, True),
        ({NAME: 0}, True),
        ({NAME: None}, False),
        ({CorpusAddon: None}, False),
        ({Derived: 500}, True),
        ({Other: 500}, False),
    ],
)
def test_the_add_on_is_switched_on_once(addons: dict[object, int | None], *, is_on: bool) -> None:
    settings = Settings({"ADDONS": addons})
    assert has_addon(settings) is is_on
    switch_on(settings, "cmdline")
    assert has_addon(settings)
    wanted = len([order for order in addons.values() if order is not None])
    assert len(build_component_list(settings["ADDONS"])) == wanted + (not is_on)


def test_each_stage_has_its_pipeline_in_the_same_order() -> None:
    names = sorted(ITEM_PIPELINES, key=lambda name: ITEM_PIPELINES[name])
    assert [load_object(name).stage for name in names] == list(STAGES)
