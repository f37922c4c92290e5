"use strict";

// The states of the page and the steps between them. Nothing here touches the document.

const BEYOND = -1;
const WRONG = -2;

// A query as it is, and as `where=what` if it has that form.
function asked(query) {
  const wanted = query.trim().toLowerCase();
  const [, where, what] = /^([^=]+?)\s*=\s*(.*)$/.exec(wanted) ?? [];
  return { wanted, where, what };
}

// How a part of the state may be called in a query: with its keys or without.
function namesOf(variable, path) {
  const name = path.toLowerCase();
  const names = [name, name.replace(/\[[^\]]*\]/g, "")];
  return variable.is_spent ? [...names, ...names.map((each) => `spent ${each}`)] : names;
}

class Space {
  constructor(data) {
    this.data = data;
    this.size = data.steps.counts.length;
    this.first = new Int32Array(this.size + 1);
    data.steps.counts.forEach((count, state) => { this.first[state + 1] = this.first[state] + count; });
    this.by = Int32Array.from(data.steps.by);
    this.to = Int32Array.from(data.steps.to);
    this.outcome = Int32Array.from(data.steps.outcome);
    this.digits = Math.ceil(data.clauses.length / 4);
    this.depth = this.spread(data.starts, this.first, this.to).distance;
    // The violating states and steps of each property, for asking quickly.
    this.bad = new Map(Object.entries(data.bad).map(([name, at]) => [name, {
      states: new Set(at.states),
      steps: new Set(at.steps.map(([state, number]) => this.first[state] + number)),
    }]));
  }

  get broken() {
    return [...this.bad.keys()].filter((name) => this.bad.get(name).states.size || this.bad.get(name).steps.size);
  }

  // The steps out of a state: the number of each in the whole space.
  steps(state) {
    return Array.from({ length: this.first[state + 1] - this.first[state] }, (_, n) => this.first[state] + n);
  }

  stepBy(state, transition) {
    return this.steps(state).find((step) => this.by[step] === transition);
  }

  outcomeOf(step) {
    return this.data.transitions[this.by[step]].outcomes[this.outcome[step]];
  }

  // Who hands on to whom in a step, by the names of their lanes, which may be the same.
  hopsOf(step) {
    const { lanes, transitions } = this.data;
    return transitions[this.by[step]].hops[this.outcome[step]]
      .map(([from, to, isFirst, isLast]) => ({ from: lanes[from], to: lanes[to], isFirst, isLast }));
  }

  // The clauses of a transition's guard that are false in a state; none where it is enabled.
  falseClauses(state, transition) {
    return this.data.transitions[transition].clauses.filter((clause) => {
      const digit = parseInt(this.data.falses[state * this.digits + (clause >> 2)], 16);
      return (digit >> (clause & 3)) & 1;
    }).map((clause) => this.data.clauses[clause]);
  }

  // The parts of a state as [where, what] pairs; those that count spent faults are marked so.
  leaves(state) {
    return this.data.variables.flatMap((variable) => {
      const { values, column } = variable;
      const value = values[column.length > 1 ? column[state] : column[0]];
      return value.map(([path, text]) => ({ path, text, isSpent: variable.is_spent }));
    });
  }

  // What differs between two states.
  changes(before, after) {
    const old = new Map(this.leaves(before).map((leaf) => [leaf.path, leaf.text]));
    return this.leaves(after).filter((leaf) => !leaf.isSpent && old.get(leaf.path) !== leaf.text)
      .map((leaf) => ({ path: leaf.path, from: textBefore(old, leaf.path), to: leaf.text }));
  }

  // The properties that a step violates: by what it does, or by the state that it leads to.
  violatedBy(step) {
    return [...this.bad].filter(([, at]) => at.steps.has(step) || at.states.has(this.to[step])).map(([name]) => name);
  }

  violatedIn(state) {
    return [...this.bad].filter(([, at]) => at.states.has(state)).map(([name]) => name);
  }

  // The states that violate a property, or from which a step does.
  violating(name) {
    const at = this.bad.get(name);
    const found = new Set(at.states);
    at.steps.forEach((step) => found.add(this.stateOf(step)));
    return found;
  }

  // The state that a step leaves, by bisection.
  stateOf(step) {
    let low = 0;
    let high = this.size;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.first[middle] <= step) low = middle; else high = middle;
    }
    return low;
  }

  // Breadth first along arrays of successors; `parent` is the index of the entry by which a state was first reached.
  spread(sources, first, to) {
    const distance = new Int32Array(this.size).fill(-1);
    const parent = new Int32Array(this.size).fill(-1);
    const queue = [];
    for (const state of sources) {
      if (distance[state] < 0) {
        distance[state] = 0;
        queue.push(state);
      }
    }
    for (let head = 0; head < queue.length; head += 1) {
      const state = queue[head];
      for (let entry = first[state]; entry < first[state + 1]; entry += 1) {
        const next = to[entry];
        if (next >= 0 && distance[next] < 0) {
          distance[next] = distance[state] + 1;
          parent[next] = entry;
          queue.push(next);
        }
      }
    }
    return { distance, parent };
  }

  // How many steps each state is from a violation at the least; -1: none is reached within the page.
  toViolation(name) {
    this.backwards ??= this.reversed();
    this.farness ??= new Map();
    if (!this.farness.has(name)) {
      this.farness.set(name, this.spread(this.violating(name), this.backwards.first, this.backwards.to).distance);
    }
    return this.farness.get(name);
  }

  reversed() {
    const first = new Int32Array(this.size + 1);
    for (const state of this.to) if (state >= 0) first[state + 1] += 1;
    for (let state = 0; state < this.size; state += 1) first[state + 1] += first[state];
    const free = first.slice();
    const to = new Int32Array(first[this.size]);
    for (let state = 0; state < this.size; state += 1) {
      for (let step = this.first[state]; step < this.first[state + 1]; step += 1) {
        if (this.to[step] >= 0) to[free[this.to[step]]++] = state;
      }
    }
    return { first, to };
  }

  // A shortest way from the beginning to a state: its start and its transitions; null where the page has none.
  wayTo(target) {
    this.ways ??= this.spread(this.data.starts, this.first, this.to);
    if (this.ways.distance[target] < 0) return null;
    const taken = [];
    let state = target;
    while (this.ways.parent[state] >= 0) {
      const step = this.ways.parent[state];
      taken.push(this.by[step]);
      state = this.stateOf(step);
    }
    return { start: state, taken: taken.reverse() };
  }

  // The states in which something can happen, or is so, as the query says: `record.committed=2`, or part of what an
  // action is called, or its fault, or of a value.
  search(query) {
    const { wanted, where, what } = asked(query);
    const matching = this.data.variables.map((variable) => variable.values.map((value) => value.some(([path, text]) => {
      if (where === undefined) return text.toLowerCase().includes(wanted);
      return namesOf(variable, path).includes(where) && text.toLowerCase() === what;
    })));
    const called = this.data.transitions.map(({ called: name, fault }) =>
      `${name} ${fault === null ? "" : `fault: ${fault}`}`.toLowerCase().includes(wanted));
    const found = [];
    for (let state = 0; state < this.size; state += 1) {
      const isSo = this.data.variables.some(({ column }, v) => matching[v][column.length > 1 ? column[state] : column[0]]);
      if (isSo || this.steps(state).some((step) => called[this.by[step]])) found.push(state);
    }
    return found;
  }

  // Why a query finds nothing, in words.
  whyNone(query) {
    const { wanted, where } = asked(query);
    const name = where ?? wanted;
    const isThere = this.data.variables.some((variable) =>
      variable.values.some((value) => value.some(([path]) => namesOf(variable, path).includes(name))));
    if (where === undefined) return isThere ? `${wanted} is a part of the state: write ${wanted}=value` : "No action, fault or value is called so.";
    return isThere ? `In no state of this page it is so: ${wanted}` : `No part of the state is called ${where}. One condition can be asked for at a time.`;
  }
}

// What was where a part of a state is now, among the texts of the state before: that part, what held it, or its parts.
function textBefore(old, path) {
  const isWithin = (inner, outer) => inner.startsWith(outer) && ".[".includes(inner.charAt(outer.length) || " ");
  const holder = [...old.keys()].find((other) => other === path || isWithin(path, other));
  if (holder !== undefined) return old.get(holder);
  return [...old].filter(([other]) => isWithin(other, path))
    .map(([other, text]) => `${other.slice(path.length).replace(/^\./, "")}=${text}`).join(" ");
}
