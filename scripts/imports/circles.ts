/** A directed graph: for the name of each node, the names of the nodes to which its edges lead. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The graph of these edges; an edge from a node to itself is left out. */
export function graphOf(edges: Iterable<readonly [from: string, to: string]>): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    if (from === to) continue;
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  }
  return graph;
}

/**
 * Cycles of the graph: for every node on a cycle, a shortest cycle through it, without duplicates. Each cycle
 * is the list of its nodes, beginning with the first in the alphabet, which is not repeated at the end. The
 * result is empty exactly when the graph has no cycle.
 */
export function circlesIn(graph: Graph): string[][] {
  const circles = new Map<string, string[]>();
  for (const node of [...graph.keys()].sort()) {
    const circle = shortestWayBack(graph, node);
    if (!circle) continue;
    const first = circle.indexOf([...circle].sort()[0] ?? node);
    const turned = [...circle.slice(first), ...circle.slice(0, first)];
    circles.set(turned.join(), turned);
  }
  return [...circles.values()];
}

function shortestWayBack(graph: Graph, start: string): string[] | undefined {
  const ways = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of graph.get(way.at(-1) ?? start) ?? []) {
      if (next === start) return way;
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
}
