// The way we are on as a sequence diagram: a lane for each who takes part, an arrow for each hop.

const LANE = 190;
const LEAST_LANE = 128;
const HEAD = 44;
// More steps than this are drawn only around where we are.
const MOST_ROWS = 120;

function drawSequence(box, walk) {
  const { space } = walk;
  const used = new Set(walk.taken.flatMap((step) => space.hopsOf(step).flatMap((hop) => [hop.from, hop.to])));
  const lanes = space.data.lanes.filter((lane) => used.has(lane));
  if (!lanes.length) {
    box.replaceChildren(el("p", { class: "hint" }, "Nothing has happened yet. Take an enabled action.", ...tags(walk, 0)));
    return;
  }
  const from = Math.max(0, Math.min(walk.at - MOST_ROWS / 2, walk.taken.length - MOST_ROWS));
  const shown = walk.taken.slice(from, from + MOST_ROWS);
  const apart = Math.max(LEAST_LANE, Math.min(LANE, (box.clientWidth - 150) / Math.max(1, lanes.length - 1)));
  const x = new Map(lanes.map((lane, n) => [lane, 70 + n * apart]));
  let wide = 140 + (lanes.length - 1) * apart;
  let y = HEAD + 6;
  let drawing = [];
  // Text begins here, or further to the left where it would run out of sight.
  const write = (at, to, text, kind) => {
    const begin = Math.max(Math.min(at, box.clientWidth - widthOf(text)), 8);
    drawing.push(drawn("text", { x: begin, y: to, class: kind }, text));
    wide = Math.max(wide, begin + widthOf(text));
  };
  const remark = (at, count) => {
    for (const [mark, text] of [["✕", walk.wrongAfter(count)], ["↻", walk.loopAfter(count)]].filter((said) => said[1])) {
      write(at, y + 12, `${mark} ${text}`, "note");
      y += 22;
    }
  };
  const begun = { number: 0, top: y, isViolating: walk.wrongAfter(0) !== "", drawing };
  if (from === 0) remark(x.get(lanes[0]) + 10, 0);
  const rows = shown.map((step, n) => {
    const top = y;
    drawing = [];
    const { called, fault } = space.data.transitions[space.by[step]];
    const outcome = space.outcomeOf(step);
    const hops = space.hopsOf(step);
    hops.forEach((hop, part) => {
      const said = [hop.isFirst ? called : "", hop.isLast ? outcome ?? "" : ""].filter(Boolean).join(" → ");
      const text = `${from + n + 1}. ${said}`;
      const a = x.get(hop.from);
      const b = x.get(hop.to);
      if (a === b) {
        const side = a + 34 + widthOf(text) > box.clientWidth && a > 14 + widthOf(text) ? -1 : 1;
        drawing.push(...turn(a, y + 14, side));
        write(side > 0 ? a + 34 : a - 22 - widthOf(text), y + 18, text, "called");
        y += 30;
      } else {
        write(Math.min(a, b) + 10, y + 16, text, "called");
        drawing.push(...arrow(a, b, y + 24));
        y += 36;
      }
      if (fault !== null && part === 0) {
        write(a + 10, y + 10, `fault: ${fault}`, "note");
        y += 20;
      }
    });
    remark(Math.min(...hops.map((hop) => Math.min(x.get(hop.from), x.get(hop.to)))) + 10, from + n + 1);
    return { top, tall: y - top, number: from + n + 1, isViolating: walk.wrongAfter(from + n + 1) !== "", drawing };
  });
  if (begun.drawing.length) rows.unshift({ ...begun, tall: rows[0].top - begun.top });
  const tall = y + 8;
  const svg = drawn("svg", { width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": `${counted(walk.taken.length, "step")}; the table says the same` });
  rows.forEach(({ top, tall: high, number, isViolating, drawing }) => {
    const kind = `row${number === walk.at ? " current" : ""}${number > walk.at ? " later" : ""}${isViolating ? " violating" : ""}`;
    svg.append(drawn("g", { class: kind, on: { click: () => walk.goTo(number) } },
      drawn("rect", { x: 2, y: top, width: wide - 4, height: high, rx: 5, class: "band" }), ...drawing));
  });
  lanes.forEach((lane) => {
    const name = shortened(lane, Math.floor(apart / 9.5));
    svg.prepend(drawn("line", { x1: x.get(lane), x2: x.get(lane), y1: HEAD - 8, y2: tall, class: "life" }));
    svg.append(drawn("rect", { x: x.get(lane) - 60, y: 6, width: 120, height: 28, rx: 5, class: "lane" }),
      drawn("text", { x: x.get(lane), y: 25, class: "lane-name" }, name, drawn("title", {}, lane)));
  });
  box.replaceChildren(svg);
  const current = rows.find(({ number }) => number === walk.at);
  if (current !== undefined && (current.top < box.scrollTop || current.top + current.tall > box.scrollTop + box.clientHeight)) {
    box.scrollTop = current.top - box.clientHeight / 2;
  }
}

// About how wide a text is drawn, with a margin.
function widthOf(text) {
  return text.length * 7.6 + 12;
}

// Something that happens in one lane: a line that turns round, to this side.
function turn(x, y, side) {
  return [drawn("path", { d: `M${x},${y - 7} h${22 * side} v14 h${-14 * side}`, class: "arrow" }),
    drawn("path", { d: `M${x + 1 * side},${y + 7} l${8 * side},-4 v8 z`, class: "point" })];
}

function arrow(a, b, y) {
  const back = a < b ? -8 : 8;
  return [drawn("line", { x1: a, x2: b + back, y1: y, y2: y, class: "arrow" }), drawn("path", { d: `M${b},${y} l${back},-4 v8 z`, class: "point" })];
}
