// The states as a graph: a layer for each distance from the beginning, so that time runs down the drawing.

const MOST_DRAWN = 400;
const NEARBY = 90;
const GAP_X = 46;
const GAP_Y = 64;

class Graph {
  constructor(box, walk, go) {
    this.box = box;
    this.walk = walk;
    this.space = walk.space;
    this.go = go;
    this.isWhole = this.space.size <= MOST_DRAWN;
    // A property of whole behaviours has no violating states to be drawn.
    this.property = [this.space.data.traces[0]?.violated, ...this.space.broken].find((name) => this.space.bad.has(name)) ?? "";
    this.only = false;
    this.matches = new Set();
    this.view = { x: 0, y: 0, scale: 1 };
    this.listen();
  }

  listen() {
    let from = null;
    this.box.addEventListener("pointerdown", (event) => { from = { x: event.clientX, y: event.clientY, moved: false }; });
    this.box.addEventListener("pointermove", (event) => {
      if (from === null || event.buttons === 0) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (!from.moved && Math.abs(dx) + Math.abs(dy) < 5) return;
      this.view.x += dx;
      this.view.y += dy;
      from = { x: event.clientX, y: event.clientY, moved: true };
      this.place();
    });
    this.box.addEventListener("click", (event) => {
      const wasMoved = from !== null && from.moved;
      from = null;
      const node = event.target.closest("[data-state]");
      if (!wasMoved && node !== null) this.go(Number(node.getAttribute("data-state")));
    });
    this.box.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== this.box) return;
      event.preventDefault();
      const { left, top } = this.box.getBoundingClientRect();
      this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX - left, event.clientY - top);
    }, { passive: false });
  }

  zoom(factor, x = this.box.clientWidth / 2, y = this.box.clientHeight / 2) {
    const scale = Math.max(0.05, Math.min(4, this.view.scale * factor));
    const grown = scale / this.view.scale;
    this.view = { x: x - (x - this.view.x) * grown, y: y - (y - this.view.y) * grown, scale };
    this.place();
  }

  place() {
    const { x, y, scale } = this.view;
    this.inner?.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  }

  fit() {
    const { clientWidth: wide, clientHeight: high } = this.box;
    const scale = Math.min(1.4, (wide - 20) / (this.wide + 60), (high - 20) / (this.high + 60));
    this.view = { x: (wide - this.wide * scale) / 2, y: 30 * scale + 8, scale };
    this.place();
  }

  // Everything, or what is near to where we are: the way there, and states around it, nearest first.
  chosen() {
    const { space, walk } = this;
    if (this.isWhole) return Array.from({ length: space.size }, (_, state) => state);
    space.backwards ??= space.reversed();
    const found = new Set(walk.states.slice(Math.max(0, walk.at - 20), walk.at + 21));
    const queue = [walk.here, ...found];
    for (let head = 0; head < queue.length && found.size < NEARBY; head += 1) {
      const state = queue[head];
      const next = space.steps(state).map((step) => space.to[step]);
      const before = space.backwards.to.subarray(space.backwards.first[state], space.backwards.first[state + 1]);
      for (const other of [...next, ...before.slice(0, 6)]) {
        if (other >= 0 && !found.has(other) && found.size < NEARBY) {
          found.add(other);
          queue.push(other);
        }
      }
    }
    return [...found].sort((a, b) => a - b);
  }

  // Positions: layers by depth; in a layer by the middle of what leads there and what follows, a few times over.
  layout(states) {
    const { space } = this;
    const layers = new Map();
    states.forEach((state) => {
      const depth = space.depth[state];
      layers.set(depth, [...(layers.get(depth) ?? []), state]);
    });
    const order = new Map();
    layers.forEach((layer) => layer.forEach((state, n) => order.set(state, n - (layer.length - 1) / 2)));
    const near = new Map(states.map((state) => [state, []]));
    states.forEach((state) => space.steps(state).forEach((step) => {
      const to = space.to[step];
      if (near.has(to) && to !== state) {
        near.get(state).push(to);
        near.get(to).push(state);
      }
    }));
    for (let round = 0; round < 6; round += 1) {
      layers.forEach((layer) => {
        const middle = new Map(layer.map((state) => {
          const others = near.get(state);
          return [state, others.length ? others.reduce((sum, other) => sum + order.get(other), 0) / others.length : 0];
        }));
        layer.sort((a, b) => middle.get(a) - middle.get(b) || a - b);
        layer.forEach((state, n) => order.set(state, n - (layer.length - 1) / 2));
      });
    }
    const widest = Math.max(...[...layers.values()].map((layer) => layer.length));
    this.wide = Math.max(1, widest - 1) * GAP_X;
    const depths = [...layers.keys()].sort((a, b) => a - b);
    this.high = Math.max(1, depths.length - 1) * GAP_Y;
    return new Map(states.map((state) => [state, {
      x: this.wide / 2 + order.get(state) * GAP_X,
      y: depths.indexOf(space.depth[state]) * GAP_Y,
    }]));
  }

  draw(refit) {
    const { space, walk } = this;
    const farness = this.property ? space.toViolation(this.property) : null;
    const violating = this.property ? space.violating(this.property) : new Set();
    let states = this.chosen();
    if (this.only) states = states.filter((state) => violating.has(state));
    if (!states.length) {
      this.inner = null;
      this.box.replaceChildren(el("p", { class: "hint" }, "None of the states drawn here is so."));
      return;
    }
    const at = this.layout(states);
    const way = new Set(walk.taken.map((step) => `${space.stateOf(step)} ${space.to[step]}`));
    const lines = [];
    const nodes = [];
    const seen = new Set();
    for (const state of states) {
      for (const step of space.steps(state)) {
        const to = space.to[step];
        const key = `${state} ${to}`;
        if (to === state || !at.has(to) || seen.has(key)) continue;
        seen.add(key);
        const [a, b] = [at.get(state), at.get(to)];
        const bend = a.y >= b.y ? 30 : 0;
        const line = drawn("path", { d: `M${a.x},${a.y} Q${(a.x + b.x) / 2 + bend},${(a.y + b.y) / 2} ${b.x},${b.y}`, class: way.has(key) ? "edge way" : "edge" });
        if (way.has(key)) lines.push(line); else lines.unshift(line);
      }
    }
    for (const state of states) {
      const { x, y } = at.get(state);
      const far = farness === null ? space.depth[state] : farness[state];
      const isBad = violating.has(state);
      const kind = ["node", farness === null ? "plain" : isBad ? "bad" : far < 0 ? "safe" : `far-${Math.min(far, 4)}`,
        state === walk.here ? "here" : "", this.matches.has(state) ? "match" : ""].join(" ");
      nodes.push(drawn("g", { class: kind, "data-state": String(state), transform: `translate(${x} ${y})` },
        drawn("title", {}, this.tooltip(state, far, isBad)),
        state === walk.here ? drawn("circle", { r: 19, class: "ring" }) : null,
        this.matches.has(state) ? drawn("rect", { x: -17, y: -17, width: 34, height: 34, class: "ring" }) : null,
        drawn("circle", { r: 13, class: "disc" }),
        drawn("text", { y: 4 }, isBad ? "✕" : far < 0 ? "–" : String(far))));
    }
    this.inner = drawn("g", {}, ...lines, ...nodes);
    this.box.replaceChildren(drawn("svg", { width: "100%", height: "100%", role: "img", "aria-label": `${states.length} states; search above to go to one by keyboard` }, this.inner));
    this.at = at;
    if (refit) this.fit(); else this.place();
    if (!this.isWhole || this.view.scale < 0.35) this.centre();
  }

  // What is too large to be read as a whole begins with where we are.
  centre() {
    const here = this.at.get(this.walk.here);
    if (here === undefined) return;
    const scale = Math.max(this.view.scale, 0.7);
    this.view = { x: this.box.clientWidth / 2 - here.x * scale, y: this.box.clientHeight / 2 - here.y * scale, scale };
    this.place();
  }

  tooltip(state, far, isBad) {
    const where = `state ${state}, ${counted(this.space.depth[state], "step")} from the beginning`;
    const leaves = this.space.leaves(state).filter((leaf) => !leaf.isSpent).map((leaf) => `${leaf.path} = ${leaf.text}`);
    const to = !this.property ? "" : isBad ? `\nviolates ${this.property}, or a step from here does` : far < 0
      ? `\nno violation of ${this.property} is reached in this page` : `\n${counted(far, "step")} from violating ${this.property}`;
    return `${where}${to}\n${leaves.join("\n")}`;
  }
}
