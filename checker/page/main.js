// Everything put together: what a person does, and what is shown then.

// States that are listed of those found.
const MOST_MATCHES = 12;

(() => {
  const data = JSON.parse(byId("data").textContent);
  const space = new Space(data);
  const say = (text) => { byId("message").textContent = text; byId("live").textContent = text; };
  const walk = new Walk(space, (isNew) => { show(); tell(isNew); });
  const goToState = (state) => {
    const way = space.wayTo(state);
    if (way === null) { say("No way to that state is in this page."); return; }
    walk.follow({ start: way.start, steps: way.taken }, way.taken.length);
  };
  const graph = new Graph(byId("graph"), walk, goToState);

  function show() {
    drawSequence(byId("sequence"), walk);
    showSteps(walk);
    showState(walk);
    showActions(walk, say);
    showPosition(walk);
    graph.draw(false);
  }

  // The position becomes part of the address: a new entry where one can go back to, else in place.
  function tell(isNew) {
    const fragment = `#${walk.fragment}`;
    if (location.hash === fragment) return;
    if (isNew) history.pushState(null, "", fragment); else history.replaceState(null, "", fragment);
  }

  function listen() {
    const step = (by) => walk.goTo(walk.at + by);
    byId("slider").addEventListener("input", (event) => walk.goTo(Number(event.target.value)));
    byId("previous").addEventListener("click", () => step(-1));
    byId("next").addEventListener("click", () => step(1));
    byId("undo").addEventListener("click", () => walk.undo());
    byId("restart").addEventListener("click", () => walk.follow({ start: data.starts[0] ?? 0, steps: [] }, 0));
    byId("trace").addEventListener("change", (event) => {
      const chosen = data.traces[Number(event.target.value)];
      if (chosen !== undefined) walk.follow(chosen, 0);
      const same = Number(event.target.value);
      if (data.beside !== null && same in data.beside.comparisons && data.traces.length) chooseBeside(same);
    });
    const moves = { ArrowLeft: () => step(-1), k: () => step(-1), ArrowRight: () => step(1), j: () => step(1),
      Home: () => walk.goTo(0), End: () => walk.goTo(walk.taken.length), u: () => walk.undo() };
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.closest("input[type=search], select, .scrolls svg") !== null;
      if (isTyping || event.ctrlKey || event.altKey || event.metaKey || !(event.key in moves)) return;
      event.preventDefault();
      moves[event.key]();
    });
    window.addEventListener("hashchange", arrive);
    window.addEventListener("popstate", arrive);
    byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    const redraw = () => graph.draw(true);
    byId("search").addEventListener("input", find);
    byId("property").addEventListener("change", (event) => { graph.property = event.target.value; redraw(); explain(); });
    byId("only").addEventListener("change", (event) => { graph.only = event.target.checked; redraw(); });
    byId("zoom-in").addEventListener("click", () => graph.zoom(1.25));
    byId("zoom-out").addEventListener("click", () => graph.zoom(0.8));
    byId("zoom-fit").addEventListener("click", () => graph.fit());
  }

  function arrive() {
    if (!location.hash.startsWith("#s=") || location.hash === `#${walk.fragment}`) return;
    const isThere = walk.read(location.hash);
    show();
    if (!isThere) say("The address names a position that is not in this page.");
  }

  function find() {
    const query = byId("search").value;
    const found = query.trim() ? space.search(query).sort((a, b) => space.depth[a] - space.depth[b]) : [];
    graph.matches = new Set(found);
    byId("found").textContent = !query.trim() ? "" : found.length ? `${found.length} of ${space.size} states` : space.whyNone(query);
    byId("matches").replaceChildren(...found.slice(0, MOST_MATCHES).map((state) => el("li", {},
      el("button", { type: "button", on: { click: () => goToState(state) } }, `state ${state}, ${counted(space.depth[state], "step")} from the beginning`))),
    ...(found.length > MOST_MATCHES ? [el("li", { class: "hint" }, `and ${found.length - MOST_MATCHES} more, squares in the drawing`)] : []));
    graph.draw(false);
  }

  function explain() {
    byId("legend").textContent = graph.property
      ? `The number in a state is how many steps it is from violating ${graph.property}; ✕ violates it, or a step from there does; – : not reached in this page. A ring is where we are, a square what was found.`
      : "The number in a state is how many steps it is from the beginning. A ring is where we are, a square what was found.";
    byId("graph-note").textContent = `${graph.isWhole
      ? `All ${space.size} states of this page.`
      : `Too many states to draw at once: those around where we are, of ${space.size.toLocaleString("en")} in this page.`} Drag to move, click a state to go there.`;
  }

  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
  }

  function chooseBeside(number) {
    byId("comparison").value = String(number);
    showBeside(data, number);
  }

  function fill() {
    showHead(data);
    const options = data.traces.map((trace, n) => el("option", { value: String(n) }, `${trace.violated ?? "the trace"}: ${counted(trace.steps.length, "step")}`));
    byId("trace").replaceChildren(el("option", { value: "-1" }, "my own way"), ...options);
    const properties = [...space.bad.keys()];
    byId("property").replaceChildren(el("option", { value: "" }, "none"),
      ...properties.map((name) => el("option", { value: name }, space.broken.includes(name) ? `${name} (violated in this page)` : name)));
    byId("property").value = graph.property;
    if (data.beside !== null && data.beside.comparisons.length) {
      byId("beside-box").hidden = false;
      byId("comparison").replaceChildren(...data.beside.comparisons.map((each, n) =>
        el("option", { value: String(n) }, `${each.violated ?? "the trace"} of ${each.of}`)));
      byId("comparison").addEventListener("change", (event) => showBeside(data, Number(event.target.value)));
      chooseBeside(0);
    }
  }

  setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  fill();
  listen();
  if (location.hash.startsWith("#s=")) {
    const isThere = walk.read(location.hash);
    show();
    if (!isThere) say("The address names a position that is not in this page.");
  } else {
    show();
  }
  graph.draw(true);
  explain();
  document.documentElement.dataset.ready = "yes";
})();
