from counter import Counter
from fenceproof import check

result = check(Counter(clients=2))
assert str(result.verdict) == "violated"
assert result.distinct == 13
lost = result.properties[0]
assert lost.trace is not None
assert len(lost.trace) == 4
graph = result.graph()  # a networkx.MultiDiGraph of the reachable states
assert graph.number_of_nodes() == result.distinct
