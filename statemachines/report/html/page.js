"use strict";
document.documentElement.classList.add("js");
(() => {
  const list = document.getElementById("strips");
  if (!list) return;
  const byId = (id) => document.getElementById(id);
  const [search, machine, wrong, shown, axis] = ["search", "machine", "wrong", "shown", "axis"].map(byId);
  const sections = [...list.querySelectorAll("section")];
  const rows = sections.flatMap((part) => [...part.querySelectorAll("li")].map((row) => ({ row, part })));
  const more = byId("more"), AT_ONCE = 200;
  let texts = null, room = AT_ONCE;

  // Which rows are there: of very many the first ones, so that every key stroke is answered at once
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && !texts) texts = rows.map(({ row }) => row.textContent.toLowerCase());
    let count = 0;
    const filled = new Set();
    rows.forEach(({ row, part }, place) => {
      const fits = (!machine.value || part.dataset.machine === machine.value) && (!wrong.checked || row.className)
        && words.every((word) => texts[place].includes(word));
      count += fits ? 1 : 0;
      row.hidden = !fits || count > room;
      if (!row.hidden) filled.add(part);
    });
    sections.forEach((part) => { part.hidden = !filled.has(part); });
    const told = (number) => number.toLocaleString("en");
    shown.textContent = count > room ? `the first ${told(room)} of ${told(count)} that fit, ${told(rows.length)} in all` : `${told(count)} of ${told(rows.length)} shown`;
    more.hidden = count <= room;
    more.textContent = `show ${told(Math.min(count - room, 5 * AT_ONCE))} more`;
  };
  const anew = () => { room = AT_ONCE; filter(); };
  for (const part of [search, machine, wrong]) part.addEventListener("input", anew);
  more.addEventListener("click", () => { room += 5 * AT_ONCE; filter(); });
  filter();
  list.querySelectorAll("details.rest").forEach((rest) => { rest.open = true; });

  // Which stretch of time is there
  const first = Number(list.dataset.first), span = Number(list.dataset.last) - first, most = Math.max(1, span / 10);
  const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((m) => m * 6e4),
    ...[1, 2, 7, 14, 30, 91, 182, 365].map((d) => d * 864e5)];
  const clock = (moment, step) => {
    const told = new Date(moment).toISOString();
    return step >= 864e5 ? told.slice(0, 10) : told.slice(11, step >= 6e4 ? 16 : step >= 1e3 ? 19 : 23);
  };
  let zoom = 1, from = 0;
  const ticks = () => {
    if (!list.dataset.timed || Math.abs(first) > 8e15) return;
    const begin = first + (span * from) / 100, length = span / zoom;
    const step = STEPS.find((size) => length / size < 6) || STEPS[STEPS.length - 1] * Math.ceil(length / STEPS[STEPS.length - 1] / 6);
    const marks = [];
    for (let moment = Math.ceil(begin / step) * step; moment <= begin + length; moment += step) {
      const mark = document.createElement("span");
      mark.textContent = clock(moment, step);
      mark.style.setProperty("--l", (100 * (moment - first)) / span);
      marks.push(mark);
    }
    axis.replaceChildren(...marks);
  };
  const look = (newZoom, newFrom) => {
    zoom = Math.min(Math.max(newZoom, 1), most);
    from = Math.min(Math.max(newFrom, 0), 100 - 100 / zoom);
    list.style.setProperty("--zoom", zoom);
    list.style.setProperty("--from", from);
    ticks();
  };
  const middle = () => from + 50 / zoom;
  const moves = {
    in: () => look(zoom * 2, middle() - 25 / zoom),
    out: () => look(zoom / 2, middle() - 100 / zoom),
    left: () => look(zoom, from - 25 / zoom),
    right: () => look(zoom, from + 25 / zoom),
    whole: () => look(1, 0),
  };
  document.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", moves[button.dataset.zoom]));

  // A stretch chosen on the axis
  const place = (event) => {
    const box = axis.getBoundingClientRect();
    return from + (100 / zoom) * Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
  };
  let begun = null;
  axis.addEventListener("pointerdown", (event) => { begun = place(event); axis.setPointerCapture(event.pointerId); });
  axis.addEventListener("pointermove", (event) => {
    if (begun === null) return;
    const [low, high] = [begun, place(event)].sort((a, b) => a - b);
    const chosen = axis.querySelector(".chosen") || axis.appendChild(Object.assign(document.createElement("span"), { className: "chosen" }));
    chosen.style.setProperty("--l", low);
    chosen.style.width = `${(high - low) * zoom}%`;
  });
  axis.addEventListener("pointerup", (event) => {
    const [low, high] = [begun ?? 0, place(event)].sort((a, b) => a - b);
    const far = begun !== null && high - low > 1 / zoom;
    begun = null;
    if (far) look(100 / (high - low), low); else ticks();
  });

  // Keys
  const keys = { "+": moves.in, "=": moves.in, "-": moves.out, "0": moves.whole, ArrowLeft: moves.left, ArrowRight: moves.right };
  const next = (way) => {
    const near = [...list.querySelectorAll("li:not([hidden]) summary")], at = near.indexOf(document.activeElement);
    near[at < 0 ? 0 : Math.min(Math.max(at + way, 0), near.length - 1)]?.focus();
  };
  document.addEventListener("keydown", (event) => {
    const inside = event.target.closest?.("#timeline"), typing = event.target.closest?.("input, select");
    if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
    if (event.key === "/") search.focus();
    else if (inside && keys[event.key]) keys[event.key]();
    else if (inside && event.key === "ArrowDown") next(1);
    else if (inside && event.key === "ArrowUp") next(-1);
    else return;
    event.preventDefault();
  });
})();
