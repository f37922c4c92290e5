import itertools, random, numpy as np, networkx as nx
from fairness import *


def ref(n, edges, inside, demands):
    good = set()
    nodes = [i for i in range(n) if inside[i]]
    for r in range(1, len(nodes) + 1):
        for S in itertools.combinations(nodes, r):
            g = nx.DiGraph()
            g.add_nodes_from(S)
            within = [k for k, (a, b) in enumerate(edges) if a in S and b in S]
            g.add_edges_from(edges[k] for k in within)
            if not nx.is_strongly_connected(g):
                continue
            ok = True
            for d in demands:
                taken = any(d.taken[k] for k in within)
                en = [d.enabled[s] for s in S]
                if taken:
                    continue
                if d.strong and any(en):
                    ok = False
                if not d.strong and all(en):
                    ok = False
            if ok:
                good |= set(S)
    return good


random.seed(1)
tot = 0
for t in range(1500):
    n = random.randint(1, 6)
    m = random.randint(0, 12)
    edges = [(a, b) for a, b in ((random.randrange(n), random.randrange(n)) for _ in range(m)) if a != b]
    inside = np.array([random.random() < 0.8 for _ in range(n)])
    ds = []
    lab = [random.randrange(4) for _ in edges]
    for g in range(random.randint(0, 3)):
        taken = np.array([l == g for l in lab], dtype=bool)
        en = np.zeros(n, dtype=bool)
        for k, (a, b) in enumerate(edges):
            if taken[k]:
                en[a] = True
        ds.append(Demand(str(g), en, taken, random.random() < 0.5))
    e = Edges(np.array([a for a, b in edges], dtype=np.int64), np.array([b for a, b in edges], dtype=np.int64))
    got = set(np.flatnonzero(fair_components(n, e, inside, ds) >= 0).tolist())
    assert got == ref(n, edges, inside, ds), (n, edges, inside, ds)
    tot += len(got)
print("ok", tot)
