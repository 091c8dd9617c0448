"""Numbers of a scrape of `/metrics`, parsed by the Prometheus client's own parsers."""

from __future__ import annotations

from collections.abc import Iterable

import httpx
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

OPENMETRICS = "application/openmetrics-text; version=1.0.0"


class Numbers:
    """All samples of one scrape."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self.families = {family.name: family for family in families}
        self._samples = {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in self.families.values()
            for sample in family.samples
        }

    def __call__(self, name: str, **labels: str) -> float | None:
        """The value of the sample with exactly these labels; None if it does not exist."""
        return self._samples.get((name, frozenset(labels.items())))


async def scrape(client: httpx.AsyncClient, *, openmetrics: bool = False) -> Numbers:
    """Request the metrics in one of the two formats."""
    answer = await client.get("/metrics", headers={"Accept": OPENMETRICS} if openmetrics else {})
    assert answer.status_code == 200
    wanted = "application/openmetrics-text" if openmetrics else "text/plain"
    assert answer.headers["Content-Type"].startswith(wanted)
    return Numbers((parse_openmetrics if openmetrics else parse_text)(answer.text))
