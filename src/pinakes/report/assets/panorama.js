
// A panorama: a circle opens its community, and pages can be looked for.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const circles = all("svg.map a.community");
  const parts = all("article.community");
  if (!circles.length) return;
  const open = (number, move) => {
    for (const circle of circles) circle.classList.toggle("open", circle.dataset.community === number);
    for (const part of parts) {
      const chosen = part.dataset.community === number;
      part.hidden = number !== "" && !chosen;
      part.classList.toggle("open", chosen);
      if (chosen && move) { part.scrollIntoView({ block: "start" }); part.focus({ preventScroll: true }); }
    }
    everything.hidden = number === "";
  };
  const everything = document.createElement("button");
  everything.type = "button";
  everything.className = "everything";
  everything.textContent = "Show all communities";
  everything.hidden = true;
  everything.addEventListener("click", () => open("", false));
  parts[0]?.before(everything);
  const chosen = () => (location.hash.match(/^#community-(\d+)$/) || [])[1];
  addEventListener("hashchange", () => { if (chosen()) open(chosen(), true); });
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#community-"]');
    if (link && link.getAttribute("href") === location.hash) open(chosen(), true);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { open("", false); return; }
    const at = circles.indexOf(document.activeElement);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (at >= 0 && step) { event.preventDefault(); circles[(at + step + circles.length) % circles.length].focus(); }
    if (at >= 0 && event.key === " ") { event.preventDefault(); location.hash = circles[at].getAttribute("href"); }
  });
  if (chosen()) open(chosen(), false);

  // The map as a picture: styles are written into a copy, which is drawn on a canvas at twice its size.
  const saved = (map) => {
    const copy = map.cloneNode(true);
    const before = [map, ...map.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((part, at) => {
      const look = getComputedStyle(before[at]);
      for (const name of ["fill", "stroke", "stroke-width", "stroke-opacity", "font", "paint-order", "display"]) part.style.setProperty(name, look.getPropertyValue(name));
    });
    const { width, height } = map.viewBox.baseVal;
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    const picture = new Image();
    picture.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * width;
      canvas.height = 2 * height;
      const brush = canvas.getContext("2d");
      brush.fillStyle = getComputedStyle(document.querySelector(".map-box")).backgroundColor;
      brush.fillRect(0, 0, canvas.width, canvas.height);
      brush.drawImage(picture, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = "panorama.png";
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      });
    };
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  };
  const save = document.createElement("button");
  save.type = "button";
  save.className = "save-map";
  save.textContent = "Save the map as PNG";
  save.addEventListener("click", () => saved(document.querySelector("svg.map")));
  document.querySelector(".map-frame").after(save);

  const field = document.querySelector(".find");
  if (!field) return;
  field.closest(".finder").hidden = false;
  const status = document.querySelector(".found");
  const pages = all("li.page");
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    let hits = 0;
    const where = new Set();
    for (const page of pages) {
      const address = page.querySelector("a")?.href ?? "";
      const hit = wanted !== "" && `${page.textContent} ${address}`.toLowerCase().includes(wanted);
      page.classList.toggle("hit", hit);
      if (hit) { hits += 1; where.add(page.closest("article").dataset.community); }
    }
    for (const part of parts) if (where.has(part.dataset.community)) part.querySelector("details").open = true;
    for (const circle of circles) circle.classList.toggle("open", where.has(circle.dataset.community));
    status.textContent = wanted === "" ? "" : `${hits} page${hits === 1 ? "" : "s"} in ${where.size} of ${parts.length} communities`;
  });
})();
