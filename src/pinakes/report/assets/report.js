"use strict";
// What a report does beyond being read: series are shown and hidden, charts tell their values, tables sort, matrices
// change what they show, and all of it can be downloaded. Text is only ever set as text.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const SVG = "http://www.w3.org/2000/svg";
  const read = new Map();
  const valuesOf = (element) => {
    if (!read.has(element)) read.set(element, JSON.parse(element.querySelector(":scope > script.values").textContent));
    return read.get(element);
  };

  // ---- Numbers
  const short = (value, share) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    if (share) return value.toFixed(3);
    const size = Math.abs(value);
    if (size >= 1000) return Math.round(value).toLocaleString("en");
    if (size >= 100) return value.toFixed(0);
    if (size >= 10 || Number.isInteger(value)) return String(Number(value.toFixed(1)));
    return size >= 0.1 ? value.toFixed(2) : value.toPrecision(2);
  };
  const place = (scale, value) => {
    let { low, high } = scale;
    if (scale.log) [value, low, high] = [Math.log10(Math.max(value, low)), Math.log10(low), Math.log10(high)];
    return scale.start + (high > low ? (value - low) / (high - low) : 0.5) * (scale.end - scale.start);
  };

  // ---- The legend: one for all charts
  const buttons = all(".legend [data-series]");
  const show = (number, on) => {
    for (const button of buttons) if (button.dataset.series === number) button.setAttribute("aria-pressed", String(on));
    for (const line of all(`.lines:not(.fixed) .series[data-series="${number}"]`)) line.classList.toggle("off", !on);
  };
  const highlight = (number) => {
    document.documentElement.classList.toggle("hovering", number !== null);
    for (const line of all(".chart:not(.fixed) .series")) line.classList.toggle("hot", line.dataset.series === number);
  };
  for (const button of buttons) {
    const number = button.dataset.series;
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      show(number, on);
      highlight(on && button.matches(":hover") ? number : null);
    });
    const enter = () => { if (button.getAttribute("aria-pressed") === "true") highlight(number); };
    button.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") enter(); });
    button.addEventListener("pointerleave", () => highlight(null));
    button.addEventListener("blur", () => highlight(null));
  }
  for (const button of all(".pick [data-pick]")) {
    button.addEventListener("click", () => {
      const pick = button.dataset.pick;
      for (const one of buttons) show(one.dataset.series, pick === "all" || (pick === "best" && one.dataset.best === "1"));
    });
  }
  for (const pick of all(".pick")) pick.hidden = false;

  // ---- Charts that tell their values
  const crosshair = (figure) => {
    const svg = figure.querySelector(".plot > svg"), plot = figure.querySelector(".plot");
    const values = valuesOf(figure);
    if (!values.x || !values.x.length) return;
    let line = null, tip = null, current = -1;
    const clear = () => { line?.remove(); tip?.remove(); line = tip = null; current = -1; };
    const tell = (at, height) => {
      const x = place(values.xScale, values.x[at]);
      const rows = values.series
        .filter((series) => !svg.querySelector(`.series[data-series="${series.number}"]`)?.classList.contains("off"))
        .filter((series) => series.y[at] !== null && series.y[at] !== undefined)
        .sort((a, b) => b.y[at] - a.y[at]);
      if (!line) {
        line = document.createElementNS(SVG, "path");
        line.setAttribute("class", "crosshair");
        svg.append(line);
        tip = document.createElement("div");
        tip.className = "tip";
        tip.setAttribute("role", "status");
        plot.append(tip);
      }
      line.setAttribute("d", `M${x} ${values.yScale.end}V${values.yScale.start}`);
      let nearest = null;
      for (const series of rows) {
        const far = Math.abs(place(values.yScale, series.y[at]) - height);
        if (nearest === null || far < nearest.far) nearest = { far, number: series.number };
      }
      const head = document.createElement("b");
      head.textContent = `${values.xLabel}: ${short(values.x[at])}`;
      const table = document.createElement("table");
      for (const series of rows.slice(0, 12)) {
        const row = table.insertRow();
        row.className = nearest && nearest.far < 12 && nearest.number === series.number ? "hot" : "";
        const dot = document.createElement("span");
        dot.className = `dot ${svg.querySelector(`.series[data-series="${series.number}"]`)?.classList[1] ?? ""}`;
        row.insertCell().append(dot);
        row.insertCell().textContent = series.name;
        const error = series.error[at];
        row.insertCell().textContent = short(series.y[at], values.share) + (error ? ` ± ${short(error, values.share)}` : "");
      }
      tip.replaceChildren(head, table);
      const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
      const at0 = x * scale, wide = tip.offsetWidth, fits = at0 + 12 + wide <= box.width || at0 - 12 - wide >= 0;
      // Beside the crosshair where there is room, else under the chart: never over the lines it tells of.
      const left = !fits ? at0 - wide / 2 : at0 + 12 + wide <= box.width ? at0 + 12 : at0 - 12 - wide;
      tip.style.left = `${Math.max(0, Math.min(left, box.width - wide))}px`;
      tip.style.top = fits ? `${Math.max(0, Math.min(height * scale - 20, box.height - tip.offsetHeight))}px` : "100%";
      current = at;
    };
    const nearestX = (x) => {
      let best = 0;
      values.x.forEach((value, at) => {
        if (Math.abs(place(values.xScale, value) - x) < Math.abs(place(values.xScale, values.x[best]) - x)) best = at;
      });
      return best;
    };
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
      tell(nearestX((event.clientX - box.left) * scale), (event.clientY - box.top) * scale);
    });
    svg.addEventListener("pointerleave", clear);
    svg.addEventListener("blur", clear);
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") clear();
      if (!step) return;
      event.preventDefault();
      const next = current < 0 ? (step > 0 ? 0 : values.x.length - 1) : current + step;
      tell(Math.max(0, Math.min(values.x.length - 1, next)), values.yScale.end);
    });
  };
  for (const figure of all("figure.lines")) crosshair(figure);

  // ---- Downloads
  const save = (name, type, content) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const field = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    // A spreadsheet runs what begins with these; a quote before it makes it text.
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = (rows) => rows.map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
  const asRows = (values) => {
    if (values.rows) return [values.columns, ...values.rows];
    const head = [values.xLabel, ...values.series.flatMap((s) => (s.error.length ? [s.name, `${s.name} stderr`] : [s.name]))];
    const line = (x, at) => [x, ...values.series.flatMap((s) => (s.error.length ? [s.y[at], s.error[at]] : [s.y[at]]))];
    return [head, ...values.x.map(line)];
  };
  const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight"];
  const drawing = (figure) => {
    // Files are for paper, whatever the screen's colours are just now.
    document.documentElement.classList.add("paper");
    try { return drawn(figure); } finally { document.documentElement.classList.remove("paper"); }
  };
  const drawn = (figure) => {
    const svg = figure.querySelector(".plot > svg"), copy = svg.cloneNode(true), old = all("*", svg), fresh = all("*", copy);
    fresh.forEach((element, at) => {
      const style = getComputedStyle(old[at]);
      if (element.matches("path, text")) for (const name of STYLED) element.setAttribute(name, style.getPropertyValue(name));
    });
    fresh.forEach((element) => { if (element.matches(".off, .crosshair")) element.remove(); });
    // The legend stands outside the drawing; in a file of its own it is needed under it.
    const box = svg.viewBox.baseVal;
    const shown = figure.matches(".lines:not(.fixed)") ? buttons.filter((b) => b.getAttribute("aria-pressed") === "true" && copy.querySelector(`.series[data-series="${b.dataset.series}"]`)) : [];
    const columns = shown.some((button) => button.querySelector(".name").textContent.length > 18) ? 2 : 3;
    const width = (box.width - 20) / columns;
    shown.forEach((button, at) => {
      const group = document.createElementNS(SVG, "g"), label = document.createElementNS(SVG, "text");
      group.setAttribute("transform", `translate(${20 + (at % columns) * width} ${box.height + 8 + Math.floor(at / columns) * 18})`);
      for (const path of all("svg.swatch path", button)) {
        const piece = path.cloneNode(), style = getComputedStyle(path);
        for (const name of STYLED) piece.setAttribute(name, style.getPropertyValue(name));
        group.append(piece);
      }
      label.textContent = button.querySelector(".name").textContent;
      const ink = { x: "40", y: "11", "font-size": "12", "font-family": "sans-serif", fill: getComputedStyle(button.querySelector(".name")).color };
      for (const [name, value] of Object.entries(ink)) label.setAttribute(name, value);
      group.append(label);
      copy.append(group);
    });
    const height = box.height + (shown.length ? 14 + Math.ceil(shown.length / columns) * 18 : 0);
    copy.setAttribute("viewBox", `0 0 ${box.width} ${height}`);
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", height);
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}`;
  };
  const ofTable = (holder) => csv(all("tr", holder).map((row) => [...row.cells].map((cell) => {
    const text = [...cell.childNodes].filter((node) => node.nodeName !== "SMALL").map((node) => node.textContent).join("").trim();
    const exact = cell.dataset.sort;
    return exact !== undefined && exact !== "" && Number.isFinite(Number(exact)) ? Number(exact) : text;
  })));
  for (const button of all("[data-download]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const holder = button.closest("figure, .table"), form = button.dataset.download;
      if (form === "table") return save(`${holder.dataset.key}.csv`, "text/csv", ofTable(holder));
      const values = valuesOf(holder);
      if (form === "csv") save(`${values.key}.csv`, "text/csv", csv(asRows(values)));
      else save(`${values.key}.svg`, "image/svg+xml", drawing(holder));
    });
  }

  // ---- Tables that sort
  for (const table of all("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const number = head.classList.contains("number");
      const before = head.getAttribute("aria-sort");
      const down = before ? before === "ascending" : number;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].dataset.sort;
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => {
        const [left, right] = [key(a), key(b)];
        if (left === "" || right === "") return (left === "") - (right === "");
        const order = number ? Number(left) - Number(right) : left.localeCompare(right);
        return down ? -order : order;
      });
      table.tBodies[0].append(...rows);
    }));
  }

  // ---- Matrices that change what they show
  for (const holder of all("[data-matrix]")) {
    const select = holder.querySelector("select"), values = valuesOf(holder), cells = all("td", holder);
    const draw = () => {
      const view = values.views[select.value];
      for (const cell of cells) {
        const [text, kind, hint] = view[cell.dataset.cell] ?? ["", "none", ""];
        cell.textContent = text;
        cell.className = kind;
        if (hint) cell.title = hint; else cell.removeAttribute("title");
      }
    };
    holder.querySelector(".choice").hidden = false;
    select.addEventListener("change", draw);
    if (select.selectedIndex > 0) draw();
  }

  // ---- The p-value of two strategies along the crawl
  for (const holder of all("[data-pairs]")) {
    const values = valuesOf(holder), [measure, a, b] = all("select", holder);
    const figure = holder.querySelector("figure"), chart = valuesOf(figure), svg = figure.querySelector(".plot > svg");
    holder.querySelector(".choice").hidden = false;
    const draw = () => {
      const pairs = values.pairs[measure.value], [one, two] = [Number(a.value), Number(b.value)];
      const found = pairs[`${one},${two}`] ?? pairs[`${two},${one}`];
      let path = "", pen = "M";
      (found ?? []).forEach((p, at) => {
        if (p === null) { pen = "M"; return; }
        path += `${pen}${place(chart.xScale, chart.x[at]).toFixed(2)} ${place(chart.yScale, p).toFixed(2)}`;
        pen = "L";
      });
      svg.querySelector(".series .line").setAttribute("d", path);
      for (const extra of all(".series .mark, .series .bar", svg)) extra.setAttribute("d", "");
      const name = `${values.names[one]} against ${values.names[two]}`;
      svg.querySelector(".series title").textContent = name;
      chart.series[0] = { ...chart.series[0], name, y: found ?? [], error: [] };
    };
    for (const select of [measure, a, b]) select.addEventListener("change", draw);
  }
})();
