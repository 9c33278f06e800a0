"""InfoSpiders: a population of agents, each following links by itself, that learn, multiply and die.

Menczer, Pant, Srinivasan and Ruiz, "Evaluating topic-driven web crawlers", SIGIR 2001 (seed 004), §6.3, figure 4:

    InfoSpiders(topic, starting_urls):
        one agent for each starting URL, with energy THETA / 2
        cost := #starting_urls * THETA / (2 * MAX_PAGES)
        while pop_size > 0 and visited < MAX_PAGES:
            agent := a random one
            agent.link := pick a link from its current doc
            agent.doc := fetch it
            agent.energy += sim(topic, agent.doc) - cost
            its net learns to predict sim(topic, agent.doc)
            if agent.energy >= THETA and pop_size < MAX_BUFFER:
                offspring := mutate(clone(agent)), and takes half of its energy
            elseif agent.energy <= 0: kill(agent)

Every agent picks its link when it arrives, and its price is drawn by lot each turn, so that a random agent moves. One
that wants a page visited before is brought it from the library, gains nothing and pays a tenth; so do all but the first
of agents that want the same page. Ours, unless `stranded=die`: at a dead end or a failed page an agent goes back to
its last page, at the price of a revisit; an agent that has none dies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from pinakes.core.errors import PinakesError
from pinakes.core.page import Brief, Link, Page, Verdict
from pinakes.core.parameters import parameter
from pinakes.core.roles import Ask, Plain
from pinakes.formats.hashes import hash_of, unsigned
from pinakes.strategies.agents import AGAIN, BACK, MOVE, SITUATE, Agent, Net, Surroundings, boltzmann, lot, picked
from pinakes.text.topics import topic_vectors
from pinakes.text.vectors import TfCosine

MAX_PAGES = 1000
"""The paper's budget, for crawls that have none."""
REVISITING = "agents revisiting"
EXTINCT = "no agents left"
VIEWS = 1000
"""Pages whose links and words are kept at hand for agents that come by again."""


@dataclass
class InfoSpiders:
    revisits: ClassVar[bool] = True
    brief: Brief
    limit: int | None = parameter(None, "How many links may wait; each agent wants one, so there is little to limit.")
    batch: int = parameter(1, "How many agents move at once.")
    theta: float = parameter(2.0, "Θ: an agent with this much energy splits; it starts with half.")
    agents: int = parameter(200, "Agents split only while there are fewer (MAX_BUFFER).")
    keywords: int = parameter(40, "How many of the topic's most frequent terms an agent starts with.")
    window: int = parameter(20, "How many words before and after a link its estimate is made from.")
    weight: float = parameter(1.0, "What each keyword weighs in a new perceptron.")
    temperature: float = parameter(0.125, "Of the Boltzmann choice among links; the lower, the greedier.")
    epochs: int = parameter(5, "Rounds of learning for each page.")
    rate: float = parameter(0.5, "Learning rate.")
    momentum: float = parameter(0.9, "Momentum of learning.")
    revisit: float = parameter(0.1, "A page visited again costs this share of the cost.")
    stranded: str = parameter(
        "back", "What an agent does at a dead end or a page that failed: go `back` to its last page, or `die`."
    )
    predict: str = parameter(
        "topic", "What the net learns to predict: a page's similarity to the `topic` (fig. 4) or the `keywords` (§6.3)."
    )
    net: str = parameter("perceptron", "`perceptron`, or `multi-layer` as in the original that the paper simplifies.")
    hidden: int = parameter(5, "Hidden units of a multi-layer net.")
    learning: str = parameter("one-step", "`one-step` prediction, or `q`: Q-learning, as in the original.")
    discount: float = parameter(0.5, "With learning=q, what the best link of the next page counts.")
    deliveries: int = parameter(10, "The crawl ends when agents have moved this many times the budget.")
    fruitless: float = parameter(
        0.25, "The crawl ends, too, when agents have moved this many times the budget without a new page; 0 for never."
    )

    def __post_init__(self) -> None:
        self._check()
        self.stale = False
        self.ended = ""
        vectors = topic_vectors(self.brief)
        self._topics = [TfCosine(vector) for vector in vectors.values()]
        terms = Counter[str]()
        for vector in vectors.values():
            terms.update(vector)
        self._terms = sorted(terms, key=lambda term: (-terms[term], term))[: self.keywords]
        self._random = Random(self.brief.random_state)
        self._pages = self.brief.pages or MAX_PAGES
        self._agents: list[Agent] = []
        self._cost = 0.0
        self._born = self._delivered = self._turn = self._idle = 0
        # What was worked out before, since agents come by again, and this turn's lots; not part of the state.
        self._similar: dict[str, float] = {}
        self._views: dict[str, tuple[tuple[int, int], Surroundings]] = {}
        self._lots: dict[int, float] = {}
        # Pages that lead nowhere, and where redirects lead.
        self._barren: set[str] = set()
        self._moved: dict[str, str] = {}
        # Agents that chose their goal on the last visit, of which the frontier may still refuse some.
        self._chosen: set[int] = set()

    # -- what the engine calls ---------------------------------------------------------------------------------

    def seed(self, links: Sequence[Link]) -> Iterable[Link]:
        self._agents = [
            Agent(number, list(self._terms), self._new_net(), self.theta / 2, link.url)
            for number, link in enumerate(links)
        ]
        self._born = len(links)
        self._cost = len(links) * self.theta / (2 * self._pages)
        return self._next_turn(zip(self._agents, links, strict=True))

    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        self._delivered += 1
        self._idle = self._idle + 1 if page.revisit or not page.readable else 0
        self._chosen = set()
        names = {page.url, page.link.url, *page.link.via}
        arriving = [agent for agent in self._agents if agent.goal in names]
        if len(arriving) > 1:
            arriving = self._in_turn(arriving)
        if page.readable or page.error == "known":
            self._moved.update((name, page.url) for name in names if name != page.url)
        picked: list[tuple[Agent, Link]] = []
        if page.error == "known":
            self._redirect(arriving, page.url)
        elif not page.readable:
            self._barren.update(names)
            for agent in arriving:
                self._go_back(agent, failed=True)
        else:
            view = self._view(page)
            for at, agent in enumerate(arriving):
                picked += self._arrive(agent, page, view, new=not page.revisit and at == 0)
        return self._next_turn(picked)

    def reprice(self, urls: Sequence[str]) -> Sequence[float]:
        self.stale = False
        best: dict[str, float] = {}
        for agent in self._agents if urls else ():
            best[agent.goal] = max(best.get(agent.goal, 0.0), self._lot(agent))
        # An address that no agent knows of is one that their goal redirects to.
        return [best[url] if url in best else self._draw(url) for url in urls]

    def dropped(self, urls: Sequence[str], why: str) -> None:
        gone = set(urls)
        refused = [agent for agent in self._agents if agent.goal in gone]
        # What is on its way to another agent is shared with it.
        coming = {agent.goal for agent in refused if self._awaits(agent)}
        for agent in refused:
            if why == "visited":
                if agent.goal not in coming:
                    agent.goal, agent.revisit = self._moved.get(agent.goal, agent.goal), True
                continue
            if why != "evicted":
                self._barren.add(agent.goal)
            self._return(agent, AGAIN)

    def asks(self) -> Iterable[Ask]:
        """The revisits of the agents whose turn it is before that of one that waits for a new page."""
        first = max((self._lot(agent) for agent in self._agents if not agent.revisit), default=-1.0)
        before = self._in_turn(agent for agent in self._agents if agent.revisit and self._lot(agent) > first)
        return [Ask("revisit", goal) for goal in dict.fromkeys(agent.goal for agent in before)]

    def answered(self, ask: Ask, urls: Sequence[str]) -> Iterable[Link]:
        return ()

    def state(self) -> Plain:
        return {
            "random": self._random.getstate(),
            "agents": [agent.plain() for agent in self._agents],
            "counts": [self._cost, self._born, self._delivered, self._turn, self._idle],
            "barren": sorted(self._barren),
            "moved": self._moved,
            "chosen": sorted(self._chosen),
            "stale": self.stale,
            "ended": self.ended,
        }

    def restore(self, state: Plain) -> None:
        version, internal, gauss = state["random"]
        self._random.setstate((version, tuple(internal), gauss))
        self._agents = [Agent.of(plain) for plain in state["agents"]]
        self._cost, self._born, self._delivered, self._turn, self._idle = state["counts"]
        self._barren, self._moved = set(state["barren"]), dict(state["moved"])
        self._chosen, self.stale, self.ended = set(state["chosen"]), state["stale"], state["ended"]
        self._lots = {}

    # -- an agent's life ---------------------------------------------------------------------------------------

    def _arrive(self, agent: Agent, page: Page, view: Surroundings, new: bool) -> list[tuple[Agent, Link]]:
        """The agent pays, learns, splits or dies; answers the links that it and its offspring pick."""
        if agent.mode in (SITUATE, MOVE):
            agent.arrive(page.url)
        if agent.mode == MOVE:
            similarity = self._similarity(page)
            agent.energy += similarity - self._cost if new else -self.revisit * self._cost
            self._teach(agent, page, view, similarity)
        elif agent.mode == BACK:
            agent.energy -= self.revisit * self._cost
        living = [agent]
        if agent.energy >= self.theta and len(self._agents) < self.agents:
            living.append(agent.offspring(self._born, page.terms))
            self._agents.append(living[1])
            self._born += 1
        elif agent.energy <= 0.0:
            self._agents.remove(agent)
            return []
        if not view.links:
            self._barren.add(page.url)
            for stranded in living:
                self._go_back(stranded, failed=False)
            return []
        return [(walker, self._pick(walker, view)) for walker in living]

    def _view(self, page: Page) -> Surroundings:
        """The page's links that may be followed: not those that lead nowhere, nor to itself."""
        kept, sizes = self._views.get(page.url), (len(self._barren), len(page.links))
        if kept is not None and kept[0] == sizes:
            return kept[1]
        links = [link for link in page.links if link.url not in self._barren and link.url != page.url]
        unchanged = kept is not None and kept[0][1] == len(page.links) and len(kept[1].links) == len(links)
        view = kept[1] if kept is not None and unchanged else Surroundings(page, links)
        if len(self._views) >= VIEWS:
            self._views.clear()
        self._views[page.url] = sizes, view
        return view

    def _similarity(self, page: Page) -> float:
        known = self._similar.get(page.url)
        if known is None:
            known = max((topic.similarity(page.terms) for topic in self._topics), default=0.0)  # eq. 1
            self._similar[page.url] = known
        return known

    def _pick(self, agent: Agent, view: Surroundings) -> Link:
        rows = view.near(agent.keywords, self.window)
        at = picked(boltzmann(agent.net.estimate(rows), self.temperature), self._random.random())
        link = view.links[at]
        agent.goal, agent.mode, agent.revisit, agent.inputs = link.url, MOVE, False, rows[at].copy()
        self._chosen.add(agent.id)
        return link

    def _teach(self, agent: Agent, page: Page, view: Surroundings, similarity: float) -> None:
        target = similarity
        if self.predict == "keywords":
            target = TfCosine(dict.fromkeys(agent.keywords, 1)).similarity(page.terms)
        if self.learning == "q" and view.links:
            rows = view.near(agent.keywords, self.window)
            target += self.discount * float(agent.net.estimate(rows).max())
        agent.net.learn(agent.inputs, min(1.0, target), self.epochs, self.rate, self.momentum)

    def _go_back(self, agent: Agent, failed: bool) -> None:
        """To the last page: the one it is on when the page it wanted failed, else the one before."""
        if self.stranded == "die":
            agent.trail.clear()
        if agent.trail and (not failed or agent.mode in (BACK, AGAIN)):
            agent.trail.pop()
        self._return(agent, BACK)

    def _return(self, agent: Agent, mode: str) -> None:
        if agent.trail:
            agent.goal, agent.mode, agent.revisit = agent.trail[-1], mode, True
        else:
            self._agents.remove(agent)

    def _redirect(self, agents: Sequence[Agent], url: str) -> None:
        """Their goal is another name of a page that is known: visited, or on its way to another agent."""
        coming = any(agent.goal == url and self._awaits(agent) for agent in self._agents if agent not in agents)
        for agent in agents:
            agent.goal, agent.revisit = url, not coming

    # -- whose turn it is --------------------------------------------------------------------------------------

    def _next_turn(self, picked: Iterable[tuple[Agent, Link]]) -> list[Link]:
        self._turn, self._lots = self._random.getrandbits(32), {}
        self.stale = True
        if not self._agents:
            self.ended = EXTINCT
        elif self._delivered >= self.deliveries * self._pages or 0 < self.fruitless * self._pages <= self._idle:
            self.ended = REVISITING
        return [link.priced(self._lot(agent)) for agent, link in picked]

    def _in_turn(self, agents: Iterable[Agent]) -> list[Agent]:
        return sorted(agents, key=self._lot, reverse=True)

    def _lot(self, agent: Agent) -> float:
        drawn = self._lots.get(agent.id)
        if drawn is None:
            drawn = self._lots[agent.id] = lot(self._turn, agent.id)
        return drawn

    def _draw(self, name: str) -> float:
        """A number in [0, 1) drawn for this turn; the same whenever asked, whoever else draws."""
        return unsigned(hash_of(f"{self._turn} {name}")) / 2**64

    def _awaits(self, agent: Agent) -> bool:
        """True when the agent's goal was taken up by the frontier and has not come home."""
        return not agent.revisit and agent.id not in self._chosen

    # -- beginnings --------------------------------------------------------------------------------------------

    def _new_net(self) -> Net:
        if self.net == "multi-layer":
            return Net.multi_layer(len(self._terms), self.hidden, self._random)
        return Net.perceptron(len(self._terms), self.weight)

    def _check(self) -> None:
        for name, value, choice in (
            ("stranded", self.stranded, ("back", "die")),
            ("predict", self.predict, ("topic", "keywords")),
            ("net", self.net, ("perceptron", "multi-layer")),
            ("learning", self.learning, ("one-step", "q")),
        ):
            if value not in choice:
                raise PinakesError(f"infospiders takes {name}={choice[0]} or {name}={choice[1]}, not {name}={value}.")
        for name in ("theta", "temperature", "agents", "hidden", "batch", "deliveries"):
            if getattr(self, name) <= 0:
                raise PinakesError(f"infospiders needs {name} above 0, not {name}={getattr(self, name)}.")
