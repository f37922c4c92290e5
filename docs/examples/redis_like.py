"""A planner over a store with Redis's commands, and an adapter for it: `conform fenced --faults delay,duplicate`."""


class Store:
    """A dictionary with a few of Redis's commands; what a script does in Redis, `compare_and_set` does here."""

    def __init__(self):
        self.hashes = {}

    def hgetall(self, key):
        return dict(self.hashes.get(key, {}))

    def hset(self, key, mapping):
        self.hashes.setdefault(key, {}).update(mapping)

    def compare_and_set(self, key, expected, mapping):
        """Write only if these fields are as expected; whether it was written."""
        held = self.hashes.get(key, {})
        if any(held.get(field) != value for field, value in expected.items()):
            return False
        self.hset(key, mapping)
        return True


class Planner:
    """Somebody's planner: a call is a hash, and a result commits where its epoch is the live one."""

    def __init__(self, store, epochs):
        self.store, self.epochs = store, epochs

    def plan(self, key):
        self.store.hset(key, {"live": 1, "committed": None, "outcome": None, "intent": 1, "pending": True})

    def timed_out(self, key):
        epoch = self.store.hgetall(key)["intent"] + 1
        if self.store.hgetall(key)["committed"] is not None:
            return "ignored"
        if epoch > self.epochs:
            raise ValueError("there is no epoch left")
        bumped = {"live": epoch, "intent": epoch, "pending": True}
        return "bump" if self.store.compare_and_set(key, {"committed": None}, bumped) else "ignored"

    def result(self, key, epoch, outcome):
        commit = {"committed": epoch, "outcome": outcome, "pending": False}
        if self.store.compare_and_set(key, {"live": epoch, "committed": None}, commit):
            return "commit"
        return "reject:stale" if self.store.hgetall(key)["live"] != epoch else self.late(key, epoch)

    def late(self, key, epoch):
        self.store.compare_and_set(key, {"intent": epoch}, {"pending": False})
        return "reject:committed"


class LastWriter(Planner):
    def result(self, key, epoch, outcome):
        self.store.hset(key, {"committed": epoch, "outcome": outcome, "pending": False})
        return "commit"


class Adapter:
    planner_class = Planner

    def reset(self, parameters):
        self.keys = [f"call:{n}" for n in range(parameters["calls"])]
        self.store = Store()
        self.planner = self.planner_class(self.store, parameters["epochs"])
        self.wire = set()  # requests and results that are under way
        for key in self.keys:
            self.planner.plan(key)

    def apply(self, event):
        action, args = event["action"], event["args"]
        call, key, again = args["call"], self.keys[args["call"]], action.endswith("_again")
        match action.removesuffix("_again"):
            case "dispatch":
                intent = self.store.hgetall(key)["intent"]
                kind = "tool" if intent == 1 else "compensate"
                self.wire.add((call, kind, intent))
                return kind
            case "execute":
                return self.moved(call, "tool", args["epoch"], "success", "executed", again)
            case "compensate":
                return self.moved(call, "compensate", args["epoch"], "compensated", "compensated", again)
            case "deadline" | "deadline_early":
                return self.planner.timed_out(key)
            case "deliver":
                self.taken((call, args["kind"], args["epoch"]), again)
                return self.planner.result(key, args["epoch"], "success")
            case "deliver_compensation":
                self.taken((call, "compensated", args["epoch"]), again)
                return self.planner.result(key, args["epoch"], "compensated")
        raise ValueError(f"{action} is no event of this adapter")

    def taken(self, message, again):
        if message not in self.wire:
            raise ValueError(f"{message} is not under way")
        if not again:
            self.wire.remove(message)

    def moved(self, call, kind, epoch, answer, outcome, again):
        self.taken((call, kind, epoch), again)
        if kind == "tool" and (call, "fence") in self.wire:
            return "refused"  # the tool has seen a later epoch
        if kind == "compensate":
            self.wire.add((call, "fence"))
        self.wire.add((call, answer, epoch))
        return outcome

    def snapshot(self):
        calls = [self.store.hgetall(key) for key in self.keys]
        return {
            "record": [{name: call[name] for name in ("live", "committed", "outcome")} for call in calls],
            "outbox": [{"epoch": call["intent"], "pending": call["pending"]} for call in calls],
        }


class LastWriterAdapter(Adapter):
    planner_class = LastWriter
