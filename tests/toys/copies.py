"""Small models with a number of copies: some share nothing, each of the others shares exactly one thing."""

from __future__ import annotations

from fenceproof.model import (
    Array,
    Bool,
    Choice,
    Map,
    Model,
    Range,
    Step,
    action,
    choose,
    count,
    eventually,
    fault,
    forall,
    implies,
    initial,
    invariant,
    leads_to,
    quiescent,
    require,
    step_property,
    strong,
    terminal,
)


class Lamps(Model):
    """Each lamp is switched on, and may burn out once and be replaced, lit or not; nothing is shared."""

    def __init__(self, lamps: int = 2) -> None:
        self.lamps = lamps
        self.lit = Array(lamps, Bool())
        self.used = Array(lamps, Range(0, 2))

    @action(lamp="lamps")
    def switch_on(self, lamp: int) -> str:
        """A lamp is lit for ever."""
        require(not self.lit[lamp])
        self.lit[lamp] = True
        return "again" if self.used[lamp] > 0 else "first"

    @fault("burn", budget=1, per="lamp")
    @action(lamp="lamps")
    def burn_out(self, lamp: int) -> None:
        self.used[lamp] += 1

    @invariant
    def at_most_one_used(self) -> bool:
        """One spare is enough."""
        return forall(range(self.lamps), lambda lamp: self.used[lamp] <= 1)

    @quiescent
    def all_lit_in_the_end(self) -> bool:
        """A lamp that burnt out is lit in the end."""
        return forall(range(self.lamps), lambda lamp: implies(self.used[lamp] > 0, self.lit[lamp]))

    @step_property
    def never_dark_again(self, step: Step) -> bool:
        """A lamp that is lit stays so."""
        lamp = step.args["lamp"]
        return implies(step.before.lit[lamp], step.after.lit[lamp])

    @terminal
    def is_bright(self) -> bool:
        """All are lit."""
        return forall(range(self.lamps), lambda lamp: self.lit[lamp])

    @eventually(fair=[strong("switch_on")])
    def shines(self) -> bool:
        """All are lit in the end."""
        return self.is_bright()


class SharedCounter(Lamps):
    """How often any lamp was switched on is counted."""

    def __init__(self, lamps: int = 2) -> None:
        super().__init__(lamps)
        self.times = Range(0, 8)

    @action(lamp="lamps")
    def switch_on(self, lamp: int) -> str:
        require(self.times < 8)
        self.times += 1
        return super().switch_on(lamp)


class ReadsNeighbour(Lamps):
    """A lamp is lit only while the first one is dark, or is the first one."""

    @action(lamp="lamps")
    def switch_on(self, lamp: int) -> str:
        require(lamp == 0 or not self.lit[0])
        return super().switch_on(lamp)


class WritesNeighbour(Lamps):
    """Lighting a lamp burns the first one."""

    @action(lamp="lamps")
    def switch_on(self, lamp: int) -> str:
        self.used[0] = 2 if lamp > 0 else self.used[0]
        return super().switch_on(lamp)


class ComparesTwo(Lamps):
    """A step property looks at all lamps."""

    @step_property
    def never_dark_again(self, step: Step) -> bool:
        return implies(step.before.lit[0], step.before.lit[self.lamps - 1])


class JudgesOthers(Lamps):
    """A step property tests in every step what is true of all lamps."""

    @step_property
    def never_dark_again(self, step: Step) -> bool:
        return forall(range(self.lamps), lambda lamp: implies(step.before.lit[lamp], step.after.lit[lamp]))


class JudgesTheNext(Lamps):
    """A step property looks at the lamp beside the one that is switched; one lamp is beside itself."""

    @step_property
    def never_dark_again(self, step: Step) -> bool:
        beside: int = (step.args["lamp"] + 1) % self.lamps
        return implies(step.before.lit[beside], self.used[beside] < 2)


class BoundsTheSum(Lamps):
    """An invariant on the number of lamps that are lit."""

    @invariant
    def at_most_one_used(self) -> bool:
        return count(range(self.lamps), lambda lamp: self.lit[lamp]) <= 1


class ComparesInvariant(Lamps):
    """An invariant that relates two lamps."""

    @invariant
    def at_most_one_used(self) -> bool:
        return self.used[0] <= self.used[self.lamps - 1] + 1


class EndsWithOne(Lamps):
    """One lamp that is lit is enough to end."""

    @terminal
    def is_bright(self) -> bool:
        return count(range(self.lamps), lambda lamp: self.lit[lamp]) >= 1


class FaultInAll(Lamps):
    """One lamp burns out, whichever."""

    @fault("fuse", budget=1)
    @action
    def burn_out(self) -> None:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        lamp = choose(range(self.lamps), label="which")
        require(not self.lit[lamp])
        self.used[lamp] += 1


class BeginsAlike(Lamps):
    """All lamps are lit in the beginning, or none."""

    @initial
    def start(self) -> None:
        first = choose([False, True], label="first")
        for lamp in range(self.lamps):
            self.lit[lamp] = first


class FirstIsBetter(Lamps):
    """The first lamp may be lit again however often it burnt out; the others may not."""

    @action(lamp="lamps")
    def switch_on(self, lamp: int) -> str:
        require(lamp == 0 or self.used[lamp] == 0)
        return super().switch_on(lamp)


class FirstBeginsLit(Lamps):
    """Only the last of several lamps may begin lit."""

    @initial
    def start(self) -> None:
        self.lit[self.lamps - 1] = choose([False, self.lamps > 1], label="last")


class OneMoreAction(Lamps):
    """Only the first lamp can be switched off."""

    @action(lamp=(0,))
    def switch_off(self, lamp: int) -> None:
        require(self.lit[lamp])
        self.lit[lamp] = False


class FairAsAWhole(Lamps):
    """Someone is to switch on a lamp, whichever."""

    @action
    def switch_on(self) -> str:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().switch_on(choose(range(self.lamps), label="which"))

    @step_property
    def never_dark_again(self, step: Step) -> bool:
        return True


class FairToTheFirst(Lamps):
    """Fairness is demanded of the first lamp's action alone."""

    @action(lamp="lamps")
    def switch_on(self, lamp: int) -> str:
        require(lamp > 0 or self.lamps == 1)
        return super().switch_on(lamp)

    @action(lamp=(0,))
    def switch_on_first(self, lamp: int) -> str:
        require(self.lamps > 1)
        return super().switch_on(lamp)


class LeadsTo(Lamps):
    """A lamp that was used is lit in the end."""

    @leads_to(fair=["switch_on"])
    def recovers(self) -> tuple[bool, bool]:
        return not self.is_bright(), self.is_bright()


class MayGoWrong(Lamps):
    """An invariant that goes wrong for a lamp that was used twice."""

    @invariant
    def at_most_one_used(self) -> bool:
        return forall(range(self.lamps), lambda lamp: [0, 1][self.used[lamp]] <= 1)


class OnlyUpToTwo(Lamps):
    """With more than two lamps, they share something."""

    @action(lamp="lamps")
    def switch_on(self, lamp: int) -> str:
        require(self.lamps < 3 or lamp == 0 or self.lit[0])
        return super().switch_on(lamp)


class Blinks(Model):
    """Each lamp goes on and off for ever: sooner or later lit, and never bound to be so together."""

    def __init__(self, lamps: int = 2) -> None:
        self.lamps = lamps
        self.lit = Array(lamps, Bool())

    @action(lamp="lamps")
    def switch(self, lamp: int) -> None:
        self.lit[lamp] = not self.lit[lamp]

    @eventually(fair=["switch"])
    def all_lit(self) -> bool:
        """All are lit at one time."""
        return forall(range(self.lamps), lambda lamp: self.lit[lamp])


class Flickers(Blinks):
    """Nobody has to switch them, so they may stay dark."""

    @eventually()
    def all_lit(self) -> bool:
        return super().all_lit()


class Named(Model):
    """Copies under names that the parameter makes, each in one of three states."""

    def __init__(self, n: int = 2) -> None:
        self.names = [f"copy {i}" for i in range(n)]
        self.state = Map(self.names, Choice("idle", "busy", "done"))

    @action(who="names")
    def go_on(self, who: str) -> None:
        require(self.state[who] != "done")
        self.state[who] = "busy" if self.state[who] == "idle" else "done"

    @terminal
    def is_over(self) -> bool:
        return forall(self.names, lambda name: self.state[name] == "done")
