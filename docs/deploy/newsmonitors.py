"""What is expected of a crawl; Spidermon asks when it has ended."""

from __future__ import annotations

from spidermon import Monitor, MonitorSuite, monitors


@monitors.name("Crawl")
class CrawlMonitor(Monitor):
    """Looks at the figures of a crawl."""

    @monitors.name("Pages came")
    def test_pages_came(self) -> None:
        """The site answered."""
        self.assertGreater(self.data.stats.get("corpus/pages/fetched", 0), 0)

    @monitors.name("Few pages failed")
    def test_few_pages_failed(self) -> None:
        """No more than one page in ten could not be had."""
        stats = self.data.stats
        failed = sum(value for key, value in stats.items() if key.startswith("corpus/failed/"))
        self.assertLessEqual(failed, 0.1 * (failed + stats.get("corpus/pages/fetched", 0)))

    @monitors.name("All items were written")
    def test_all_items_were_written(self) -> None:
        """Each part of the output is whole."""
        self.assertEqual(self.data.stats.get("corpus/parts/failed", 0), 0)


class NewsMonitors(MonitorSuite):
    """The monitors of each crawl."""

    monitors = (CrawlMonitor,)
