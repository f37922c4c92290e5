// Where we are: a way from a beginning, and a position on it. It can be told in a link, and undone.

class Walk {
  constructor(space, changed) {
    this.space = space;
    this.changed = changed;
    this.past = [];
    this.set(0 in space.data.traces ? space.data.traces[0] : { start: space.data.starts[0] ?? 0, steps: [] }, 0);
  }

  // Follow a way as far as the page has it, and to a position on it; whether the page has all of it.
  set({ start, steps }, at) {
    this.start = start;
    this.states = [start];
    this.taken = [];
    for (const transition of steps) {
      const step = this.space.stepBy(this.states[this.states.length - 1], transition);
      if (step === undefined || this.space.to[step] < 0) break;
      this.taken.push(step);
      this.states.push(this.space.to[step]);
    }
    const mine = this.transitions.join();
    this.trace = this.space.data.traces.findIndex((trace) => trace.start === start && trace.steps.join() === mine);
    this.place(at);
    return this.taken.length === steps.length;
  }

  place(at) {
    this.at = Math.max(0, Math.min(at, this.taken.length));
  }

  get here() {
    return this.states[this.at];
  }

  get transitions() {
    return this.taken.map((step) => this.space.by[step]);
  }

  // The trace that this is; null on a way of one's own.
  get told() {
    return this.space.data.traces[this.trace] ?? null;
  }

  // What is wrong where so many steps are taken, in words; nothing where all is well.
  wrongAfter(count) {
    const violated = count === 0 ? this.space.violatedIn(this.start) : this.space.violatedBy(this.taken[count - 1]);
    if (violated.length) return `violates ${violated.join(", ")}`;
    const isEnd = this.told !== null && count === this.taken.length;
    return isEnd && this.told.violated === null && this.told.mistake === null ? this.told.meaning : "";
  }

  // What comes again and again, in words, where so many steps are taken.
  loopAfter(count) {
    if (this.told === null || this.told.loop !== count) return "";
    return count === this.taken.length ? "nothing more has to happen, for ever" : "what follows comes again and again, for ever";
  }

  remember() {
    this.past.push({ start: this.start, steps: this.transitions, at: this.at });
  }

  goTo(at) {
    this.place(at);
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
      this.place(this.at + 1);
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
