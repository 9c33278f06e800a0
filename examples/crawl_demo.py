"""Crawl the demo web towards a topic, then ask why its best page is there."""

import sys

import pinakes

library = sys.argv[1] if len(sys.argv) > 1 else "owls"
result = pinakes.crawl(
    topic="owls and other birds of prey",
    web="demo",
    seeds=["http://www.pinakes.example/"],
    pages=60,
    into=library,
)
print(f"{result.pages} pages, {result.nuggets} nuggets, stopped: {result.stopped}")
for page in result.best[:3]:
    print(f"{page.score:.2f}  {page.title}  {page.url}")
for crawl in pinakes.status(library).crawls:
    print(crawl.id, crawl.strategy, dict(crawl.outcomes))
