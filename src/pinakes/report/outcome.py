"""The reports of a job that was taken up, whatever it was."""

from __future__ import annotations

from pinakes.jobs.collect import CollectResult
from pinakes.jobs.going_on import Outcome
from pinakes.jobs.harvest.result import HarvestResult
from pinakes.jobs.panorama.job import PanoramaResult
from pinakes.jobs.refresh import RefreshResult
from pinakes.report.collections import write_collections
from pinakes.report.harvest import write_harvest
from pinakes.report.panorama import write_panorama
from pinakes.report.refresh import write_refresh


def write_outcome(outcome: Outcome) -> None:
    """Write what the job's own command would write; a crawl alone has no report."""
    match outcome:
        case CollectResult():
            write_collections(outcome.crawl.library, outcome.collections)
        case RefreshResult():
            write_refresh(outcome.crawl.library, outcome)
            if outcome.collections:
                write_collections(outcome.crawl.library, outcome.collections)
        case HarvestResult():
            write_harvest(outcome)
        case PanoramaResult():
            write_panorama(outcome.crawl.library, outcome)
