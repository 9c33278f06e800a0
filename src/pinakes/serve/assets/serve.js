"use strict";
// What pages do beyond being read: parts that change are asked for again, parts that take long are asked for when wanted.
// Everything works without it, by loading the page anew.
(() => {
  const ask = async (address) => {
    const answer = await fetch(address, { headers: { "X-Requested-With": "pinakes" } });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer;
  };
  const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

  // ---- Pages that are live: only parts that changed are put in place, and none a reader is writing in.
  for (const place of document.querySelectorAll("[data-live]")) {
    const every = Number(place.dataset.every) || 1000;
    let pause = every;
    const look = async () => {
      if (!document.hidden) {
        try {
          const answer = await ask(place.dataset.live);
          const fresh = parsed(await answer.text());
          for (const part of fresh.querySelectorAll("[data-part]")) {
            const old = place.querySelector(`[data-part="${part.dataset.part}"]`);
            const same = !old || old.outerHTML === part.outerHTML;
            if (!same && !old.contains(document.activeElement)) old.replaceWith(document.adoptNode(part));
          }
          pause = every;
          if (answer.headers.get("X-Pinakes-Live") === "no") { delete place.dataset.live; return; }
        } catch { pause = Math.min(10000, pause * 2); }
      }
      setTimeout(look, pause);
    };
    setTimeout(look, every);
  }

  // ---- Parts that take long: loaded at once, or when their summary is opened
  for (const place of document.querySelectorAll("[data-load]")) {
    const box = place.closest("details");
    const load = async () => {
      if ((box && !box.open) || place.dataset.done) return;
      place.dataset.done = "1";
      place.setAttribute("aria-busy", "true");
      try {
        place.replaceChildren(...parsed(await (await ask(place.dataset.load)).text()).body.childNodes);
      } catch { delete place.dataset.done; place.textContent = "It could not be loaded; close this and open it again."; }
      place.removeAttribute("aria-busy");
    };
    box?.addEventListener("toggle", load);
    load();
  }

  // ---- Choices that show themselves at once
  for (const select of document.querySelectorAll("form.filters[action*='/collection'] select, form.filters[action*='/harvests/'] select")) {
    if (!select.closest(".export")) select.addEventListener("change", () => select.form.requestSubmit());
  }
  // ---- On a phone the facets are folded away
  if (matchMedia("(max-width: 60rem)").matches) for (const box of document.querySelectorAll(".facet-box")) box.open = false;
  // ---- On a phone the sections are wider than the screen: the one that is open is brought in sight
  const nav = document.querySelector(".top nav"), open = nav?.querySelector("[aria-current]");
  if (open) nav.scrollLeft = open.offsetLeft - nav.offsetLeft - (nav.clientWidth - open.offsetWidth) / 2;
  // ---- "/" goes to the search field
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    event.preventDefault();
    (document.querySelector("#query") ?? document.querySelector("#q"))?.focus();
  });
})();
