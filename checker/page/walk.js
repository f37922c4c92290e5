// Where we are: a way from a beginning, and a position on it. It can be told in a link, and undone.

class Walk {
  constructor(space, changed) {
    this.space = space;
    this.changed = changed;
    this.past = [];
    this.set(0 in space.data.traces ? space.data.traces[0] : { start: space.data.starts[0] ?? 0, steps: [] }, 0);
  }

  // Follow a way as far as the page has it.
  set({ start, steps }, at) {
    this.start = start;
    this.states = [start];
    this.taken = [];
    for (const transition of steps) {
      const step = this.space.stepBy(this.states[this.states.length - 1], transition);
      if (step === undefined || this.space.to[step] < 0) return this.place(at, false);
      this.taken.push(step);
      this.states.push(this.space.to[step]);
    }
    return this.place(at, true);
  }

  place(at, isWhole) {
    this.at = Math.max(0, Math.min(at, this.taken.length));
    return isWhole;
  }

  get here() {
    return this.states[this.at];
  }

  get transitions() {
    return this.taken.map((step) => this.space.by[step]);
  }

  // The number of the trace that this is, or -1.
  get trace() {
    const mine = this.transitions.join();
    return this.space.data.traces.findIndex((trace) => trace.start === this.start && trace.steps.join() === mine);
  }

  remember() {
    this.past.push({ start: this.start, steps: this.transitions, at: this.at });
  }

  goTo(at) {
    this.place(at, true);
    this.changed(false);
  }

  follow(way, at) {
    this.remember();
    this.set(way, at);
    this.changed(true);
  }

  // Take an enabled action here; what came after on the way that we were on is left.
  take(step) {
    const transition = this.space.by[step];
    if (this.taken[this.at] === step) {
      this.remember();
      this.place(this.at + 1, true);
      this.changed(true);
      return;
    }
    this.follow({ start: this.start, steps: [...this.transitions.slice(0, this.at), transition] }, this.at + 1);
  }

  undo() {
    const before = this.past.pop();
    if (before === undefined) return;
    this.set(before, before.at);
    this.changed(true);
  }

  get fragment() {
    return `s=${[this.start, ...this.transitions].join(".")}@${this.at}`;
  }

  // Go where a link says; false where it says nothing that the page has.
  read(fragment) {
    const [, way, at] = /^#?s=(\d+(?:\.\d+)*)@(\d+)$/.exec(fragment) ?? [];
    if (way === undefined) return false;
    const [start, ...steps] = way.split(".").map(Number);
    if (!this.space.data.starts.includes(start)) return false;
    const before = { start: this.start, steps: this.transitions, at: this.at };
    if (this.set({ start, steps }, Number(at))) return true;
    this.set(before, before.at);
    return false;
  }
}
