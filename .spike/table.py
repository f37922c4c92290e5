import itertools, sys, time
from dataclasses import replace
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.verdict import Verdict
from fenceproof.model.lift import lift
from fenceproof.model.budgets import Settings
from fenceproof.specs.variants import VARIANTS

F = (
    "delay",
    "loss",
    "duplicate",
    "empty-body",
    "no-echo",
    "comp-delay",
    "comp-loss",
    "comp-duplicate",
    "crash",
    "second-planner",
    "clock-jump",
)


def restrict(s, on):
    keep = [i for i, t in enumerate(s.transitions) if t.fault is None or t.fault in on]
    if "second-planner" not in on:
        keep = [i for i in keep if not s.transitions[i].action.startswith("second_")]
    return replace(
        s,
        transitions=tuple(s.transitions[i] for i in keep),
        step_properties=tuple(replace(p, judgements=tuple(p.judgements[i] for i in keep)) for p in s.step_properties),
    )


names = sys.argv[1:] or list(VARIANTS)
for name in names:
    t = time.time()
    m = VARIANTS[name].model
    mins = {}
    full = lift(m())
    big = 0
    for k in range(4):
        for c in itertools.combinations(F, k):
            S = frozenset(c)
            r = check(restrict(full, S))
            big = max(big, r.distinct)
            if r.wrong:
                print("WRONG", name, S, r.wrong.mistake)
                raise SystemExit
            for p in r.properties:
                if p.verdict is Verdict.VIOLATED and not any(x <= S for x in mins.get(p.name, [])):
                    mins.setdefault(p.name, []).append(S)
    exp = {p: set(s) for p, s in VARIANTS[name].loses.items() if p != "settles"}
    got = {p: set(s) for p, s in mins.items()}
    print(name, "OK" if exp == got else "DIFF", round(time.time() - t, 1), big, flush=True)
    for p in sorted(set(exp) | set(got)):
        a, b = exp.get(p, set()), got.get(p, set())
        if a != b:
            print(
                "   ",
                p,
                "missing",
                ["+".join(sorted(x)) for x in sorted(a - b, key=sorted)],
                "extra",
                ["+".join(sorted(x)) for x in sorted(b - a, key=sorted)],
                flush=True,
            )
