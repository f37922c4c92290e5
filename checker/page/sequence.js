// The way we are on as a sequence diagram: a lane for each who takes part, an arrow for each hop.

const LANE = 190;
const ROW = 46;
const HEAD = 44;
// More arrows than this are drawn only around where we are.
const MOST_ROWS = 120;

function drawSequence(box, walk) {
  const { space } = walk;
  const used = new Set(walk.taken.flatMap((step) => space.hopsOf(step).flat()));
  const lanes = space.data.lanes.filter((lane) => used.has(lane));
  if (!lanes.length) {
    box.replaceChildren(el("p", { class: "hint" }, "Nothing has happened yet. Take an enabled action."));
    return;
  }
  const from = Math.max(0, Math.min(walk.at - MOST_ROWS / 2, walk.taken.length - MOST_ROWS));
  const shown = walk.taken.slice(from, from + MOST_ROWS);
  const x = new Map(lanes.map((lane, n) => [lane, 70 + n * LANE]));
  const rows = [];
  let y = HEAD + 30;
  let wide = 140 + (lanes.length - 1) * LANE;
  shown.forEach((step, n) => {
    const number = from + n + 1;
    const transition = space.data.transitions[space.by[step]];
    const outcome = space.outcomeOf(step);
    const text = `${number}. ${transition.called}${outcome === null ? "" : ` → ${outcome}`}`;
    const violated = space.violatedBy(step);
    const notes = [transition.fault === null ? "" : `fault: ${transition.fault}`, violated.length ? `✕ violates ${violated.join(", ")}` : ""].filter(Boolean);
    const hops = space.hopsOf(step);
    const parts = hops.flatMap(([a, b], hop) => arrow(x.get(a), x.get(b), y + hop * 16));
    const isLoop = hops.every(([a, b]) => a === b);
    const at = isLoop ? x.get(hops[0][0]) + 34 : Math.min(...hops.flat().map((lane) => x.get(lane))) + 8;
    const tall = ROW + (hops.length - 1) * 16 + (notes.length ? 16 : 0);
    wide = Math.max(wide, at + 20 + Math.max(text.length, notes.join("; ").length) * 7.4);
    rows.push({ y: y - 22, tall, number, violated, parts: [
      ...parts,
      drawn("text", { x: at, y: isLoop ? y + 4 : y - 7, class: "called" }, text),
      notes.length ? drawn("text", { x: at, y: y + (isLoop ? 20 : 16), class: "note" }, notes.join("; ")) : null,
    ] });
    y += tall;
  });
  const tall = y + 4;
  const svg = drawn("svg", { width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": `${walk.taken.length} steps; the table says the same` });
  rows.forEach(({ y: top, tall: high, number, violated, parts }) => {
    const kind = `row${number === walk.at ? " current" : ""}${number > walk.at ? " later" : ""}${violated.length ? " violating" : ""}`;
    svg.append(drawn("g", { class: kind, on: { click: () => walk.goTo(number) } },
      drawn("rect", { x: 2, y: top, width: wide - 4, height: high - 4, rx: 5, class: "band" })));
    svg.lastChild.append(...parts.filter((part) => part !== null));
  });
  lanes.forEach((lane) => {
    const name = shortened(lane, 20);
    svg.prepend(drawn("line", { x1: x.get(lane), x2: x.get(lane), y1: HEAD - 8, y2: tall, class: "life" }));
    svg.append(drawn("rect", { x: x.get(lane) - 66, y: 6, width: 132, height: 28, rx: 5, class: "lane" }),
      drawn("text", { x: x.get(lane), y: 25, class: "lane-name" }, name, drawn("title", {}, lane)));
  });
  box.replaceChildren(svg);
  const current = svg.querySelector(".current .band");
  if (current !== null) {
    const top = Number(current.getAttribute("y"));
    if (top < box.scrollTop || top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  }
}

function arrow(a, b, y) {
  if (a === b) {
    return [drawn("path", { d: `M${a},${y - 8} h22 v14 h-16`, class: "arrow" }), drawn("path", { d: `M${a + 2},${y + 6} l8,-4 v8 z`, class: "point" })];
  }
  const back = a < b ? -8 : 8;
  return [drawn("line", { x1: a, x2: b, y1: y, y2: y, class: "arrow" }), drawn("path", { d: `M${b},${y} l${back},-4 v8 z`, class: "point" })];
}
