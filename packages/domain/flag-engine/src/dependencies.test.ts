import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortByDependencies } from './dependencies.ts';

const graphs = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.array(fc.array(fc.nat({ max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size }),
  );

function reachable(graph: readonly number[][], from: number): Set<number> {
  const found = new Set(graph[from]);
  for (const node of found) for (const next of graph[node] ?? []) found.add(next);
  return found;
}

test('every node occurs once, after its dependencies unless they share a cycle', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const { order } = sortByDependencies(graph);
      expect([...order].sort((a, b) => a - b)).toEqual([...graph.keys()]);
      for (const [node, dependencies] of graph.entries()) {
        for (const dependency of dependencies) {
          if (reachable(graph, dependency).has(node)) continue;
          expect(order.indexOf(dependency)).toBeLessThan(order.indexOf(node));
        }
      }
    }),
  );
});

test('a node is cyclic exactly when it depends on itself', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const { cyclic } = sortByDependencies(graph);
      for (const node of graph.keys()) expect(cyclic.has(node)).toBe(reachable(graph, node).has(node));
    }),
  );
});

test('a chain of 100,000 nodes is sorted', () => {
  const chain = Array.from({ length: 100_000 }, (_, node) => (node < 99_999 ? [node + 1] : []));
  expect(sortByDependencies(chain).order.slice(0, 2)).toEqual([99_999, 99_998]);
});
