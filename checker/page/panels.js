// What is beside the diagram: what the page is about, the steps, the state, and what can happen.

function showHead(data) {
  document.title = `${data.target}: fenceproof`;
  byId("target").textContent = data.target;
  byId("meaning").textContent = data.meaning;
  const facts = [["Parameters", data.bounds], ["Faults", data.faults], ["Without", data.without.join(", ")],
    ["Searched", data.searched], ["In this page", data.covers]];
  byId("facts").replaceChildren(...facts.filter(([, text]) => text).map(([name, text]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, text))));
  const violated = data.verdicts.filter((each) => each.verdict === "violated");
  byId("verdict-summary").textContent = violated.length
    ? `Violated: ${violated.map((each) => each.name).join(", ")}`
    : `Verdicts: ${[...new Set(data.verdicts.map((each) => each.verdict))].join(", ") || "none"}`;
  byId("verdicts").replaceChildren(...data.verdicts.map((each) => el("li", {},
    el("strong", { class: each.verdict === "violated" ? "violated" : "" }, each.name), `: ${each.verdict}. `,
    el("span", { class: "hint" }, each.meaning))));
}

function withOutcome(called, outcome) {
  return outcome === null ? called : `${called} → ${outcome}`;
}

// What is to be said of the place where so many steps are taken.
function tags(walk, count) {
  const [wrong, loop] = [walk.wrongAfter(count), walk.loopAfter(count)];
  return [wrong ? el("span", { class: "tag violated" }, `✕ ${wrong}`) : null, loop ? el("span", { class: "tag" }, `↻ ${loop}`) : null];
}

function showSteps(walk) {
  const { space } = walk;
  const rows = [el("tr", { class: walk.at === 0 ? "current" : "", "aria-current": walk.at === 0 ? "step" : null, on: { click: () => walk.goTo(0) } },
    el("td", {}, "0"), el("td", { colspan: "3" }, el("button", { type: "button", class: "plain" }, "the beginning"), ...tags(walk, 0)))];
  walk.taken.forEach((step, n) => {
    const transition = space.data.transitions[space.by[step]];
    const isCurrent = walk.at === n + 1;
    rows.push(el("tr", {
      class: `${isCurrent ? "current" : ""} ${walk.wrongAfter(n + 1) ? "violating" : ""}`,
      "aria-current": isCurrent ? "step" : null,
      on: { click: () => walk.goTo(n + 1) },
    },
    el("td", {}, String(n + 1)),
    el("td", {}, el("button", { type: "button", class: "plain" }, transition.called),
      transition.fault === null ? null : el("span", { class: "tag" }, `fault: ${transition.fault}`),
      ...tags(walk, n + 1)),
    el("td", {}, space.outcomeOf(step) ?? ""),
    el("td", {}, el("ul", { class: "bare" }, ...space.changes(walk.states[n], walk.states[n + 1]).map((change) =>
      el("li", {}, `${change.path}: ${change.from} → ${change.to}`))))));
  });
  byId("steps").tBodies[0].replaceChildren(...rows);
}

function showState(walk) {
  const { space } = walk;
  const before = walk.at === 0 ? null : new Map(space.leaves(walk.states[walk.at - 1]).map((leaf) => [leaf.path, leaf.text]));
  const rows = space.leaves(walk.here).map((leaf) => {
    const isChanged = before !== null && before.get(leaf.path) !== leaf.text;
    return el("tr", { class: `${isChanged ? "changed" : ""} ${leaf.isSpent ? "spent" : ""}` },
      el("th", { scope: "row" }, isChanged ? el("span", { title: "changed by the last step", "aria-label": "changed" }, "● ") : null,
        leaf.isSpent ? `spent ${leaf.path}` : leaf.path),
      el("td", {}, leaf.text), el("td", {}, isChanged ? textBefore(before, leaf.path) : ""));
  });
  byId("state").tBodies[0].replaceChildren(...rows);
}

function clauseItem(clause) {
  return el("li", {}, el("code", {}, clause.text), clause.site ? el("span", { class: "site" }, ` ${clause.site}`) : null);
}

function showActions(walk, say) {
  const { space } = walk;
  const taken = new Set();
  const enabled = space.steps(walk.here).map((step) => {
    const transition = space.data.transitions[space.by[step]];
    taken.add(space.by[step]);
    const wrong = space.data.wrong[`${walk.here} ${space.by[step]}`];
    const violated = space.violatedBy(step);
    const label = withOutcome(transition.called, space.outcomeOf(step));
    const remark = space.to[step] === BEYOND ? "leads to a state that is not in this page"
      : wrong !== undefined ? `the model itself goes wrong: ${wrong}` : null;
    return el("li", {}, el("button", {
      type: "button", class: remark === null ? "action" : "action no-way", "aria-disabled": remark === null ? null : "true",
      on: { click: () => (remark === null ? walk.take(step) : say(`${transition.called} ${remark}.`)) },
    }, label),
    transition.fault === null ? null : el("span", { class: "tag" }, `fault: ${transition.fault}`),
    violated.length ? el("span", { class: "tag violated" }, `✕ violates ${violated.join(", ")}`) : null,
    remark === null ? null : el("span", { class: "hint" }, ` ${remark}`),
    el("span", { class: "site" }, ` ${transition.site}`));
  });
  byId("enabled").replaceChildren(...(enabled.length ? enabled : [el("li", { class: "hint" }, "Nothing is enabled here.")]));
  const disabled = space.data.transitions.map((transition, number) => [transition, number])
    .filter(([, number]) => !taken.has(number));
  byId("disabled-summary").textContent = `Not enabled: ${disabled.length}, and why`;
  byId("disabled").replaceChildren(...disabled.map(([transition, number]) => el("li", { "data-transition": String(number) },
    el("span", { class: "name" }, transition.called),
    transition.fault === null ? null : el("span", { class: "tag" }, `fault: ${transition.fault}`),
    el("span", { class: "site" }, ` ${transition.site}`),
    el("div", { class: "hint" }, "not enabled because this is false:"),
    el("ul", {}, ...space.falseClauses(walk.here, number).map(clauseItem)))));
}

function showPosition(walk) {
  const { space } = walk;
  const slider = byId("slider");
  slider.max = String(walk.taken.length);
  slider.value = String(walk.at);
  const step = walk.at === 0 ? null : walk.taken[walk.at - 1];
  const what = step === null ? "the beginning" : withOutcome(space.data.transitions[space.by[step]].called, space.outcomeOf(step));
  const wrong = walk.wrongAfter(walk.at);
  const text = `Step ${walk.at} of ${walk.taken.length}: ${what}${wrong ? `. ${wrong[0].toUpperCase()}${wrong.slice(1)}.` : ""}`;
  slider.setAttribute("aria-valuetext", text);
  byId("where").textContent = `${walk.at} of ${walk.taken.length}`;
  byId("live").textContent = text;
  byId("previous").disabled = walk.at === 0;
  byId("next").disabled = walk.at === walk.taken.length;
  byId("undo").disabled = walk.past.length === 0;
  byId("trace").value = String(walk.trace);
  const { told } = walk;
  byId("claim").textContent = told === null ? "" : told.violated === null ? (told.meaning ? `The model itself goes wrong: ${told.meaning}` : "") : `${told.violated} is violated.${told.meaning ? ` It says: ${told.meaning}` : ""}`;
  byId("story").textContent = told === null ? "" : told.story;
  byId("why").replaceChildren(...(told === null ? [] : told.why).map((line, n) => el("li", {}, `${n === 0 ? "Why" : "and"}: ${line}`)));
  const loop = told === null || told.loop === null || walk.at < walk.taken.length ? ""
    : told.loop === told.steps.length ? "Nothing more has to happen; it may stay here for ever."
    : `From here it goes on from step ${told.loop + 1} again, for ever.`;
  const mistake = told !== null && told.mistake !== null && walk.at === walk.taken.length
    ? `The model itself goes wrong in ${space.data.transitions[told.mistake].called}.` : "";
  byId("message").textContent = loop || mistake;
}
