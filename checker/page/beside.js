// Two models on the same events, event by event.

function showBeside(data, number) {
  const { target, bounds, comparisons } = data.beside;
  const { events, sides, of, violated } = comparisons[number];
  byId("mine").textContent = data.target;
  byId("theirs").textContent = target;
  byId("beside-note").textContent = `${data.target} and ${target} (${bounds}) are given the events by which ${of} violates ${violated ?? "nothing"}. `
    + "Who refuses an event stays where it is.";
  const rows = [besideRow("0", "the beginning", null, [null, null], sides.map((side) => side.start))];
  events.forEach((event, n) => rows.push(besideRow(String(n + 1), event.called, event.fault,
    sides.map((side) => side.replies[n]), sides.map((side) => side.replies[n].state))));
  byId("beside").tBodies[0].replaceChildren(...rows);
}

function besideRow(number, called, fault, replies, states) {
  const differs = replies[0] !== null && replyText(replies[0]) !== replyText(replies[1]);
  return el("tr", { class: differs ? "differs" : "" },
    el("td", {}, number),
    el("td", {}, called, fault === null ? null : el("span", { class: "tag" }, `fault: ${fault}`)),
    ...replies.map((reply) => el("td", {}, ...(reply === null ? [] : replyParts(reply, differs)))),
    el("td", {}, el("ul", { class: "bare" }, ...differences(...states).map((line) => el("li", {}, line)))));
}

function replyText(reply) {
  return reply.refusal === null ? reply.outcome ?? "taken" : "refused";
}

function replyParts(reply, differs) {
  const parts = [el("span", { class: differs ? "tag differs" : "" }, `${differs ? "≠ " : ""}${replyText(reply)}`)];
  if (reply.refusal !== null) {
    parts.push(el("div", { class: "hint" }, reply.clauses.length ? "because this is false:" : reply.refusal),
      el("ul", {}, ...reply.clauses.map(clauseItem)));
  }
  if (reply.ways > 1) parts.push(el("div", { class: "hint" }, `the first of ${reply.ways} ways`));
  return parts;
}

// Where two states are not the same: `path: mine | theirs`.
function differences(mine, theirs) {
  const other = new Map(theirs);
  const own = new Map(mine);
  return [...new Set([...own.keys(), ...other.keys()])].filter((path) => own.get(path) !== other.get(path))
    .map((path) => `${path}: ${own.get(path) ?? "—"} | ${other.get(path) ?? "—"}`);
}
