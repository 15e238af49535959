"""The stages of the work on a page as item pipelines, in order, as the setting ``ITEM_PIPELINES``.

Imports nothing, so that settings modules may import it.
"""

from __future__ import annotations

ITEM_PIPELINES = {
    "crawler.pipelines.stages.MainTextPipeline": 100,
    "crawler.pipelines.stages.MetadataPipeline": 110,
    "crawler.pipelines.stages.FiltersPipeline": 120,
    "crawler.pipelines.stages.SentencesPipeline": 130,
    "crawler.pipelines.stages.TablesPipeline": 140,
    "crawler.pipelines.stages.StructurePipeline": 150,
    "crawler.pipelines.wrapper.WrapperPipeline": 160,
}
"""A pipeline that the settings switch off (``CORPUS_SENTENCES``, …) takes itself out at the start.
A project's own pipelines with a number in between see items as far as they are filled there."""
