from counter import Counter
from fenceproof import check
from fenceproof.checker.report.text import as_text
from fenceproof.specs import Planner

result = check(Counter(clients=2))
assert result.verdict == "violated" and not result.holds
assert len(result.trace("nothing_lost") or ()) == 4
print(as_text(result))  # what the command prints
assert result.graph().number_of_nodes() == result.distinct  # the reachable states, a networkx.MultiDiGraph
assert check(Planner, faults="delay,loss", properties="no-ghost").holds  # as after --faults and --property
