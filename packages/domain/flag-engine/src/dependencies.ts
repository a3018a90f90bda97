export interface DependencyOrder {
  /** Every node, each after the nodes it depends on. Within a cycle the order is arbitrary. */
  readonly order: readonly number[];
  /** The nodes that depend on themselves, directly or indirectly. */
  readonly cyclic: ReadonlySet<number>;
}

interface Visit {
  readonly node: number;
  readonly index: number;
  low: number;
  next: number;
}

/**
 * Sorts nodes 0..n-1 topologically with Tarjan's strongly connected components algorithm, which finds dependencies
 * first. It is iterative, because a chain of dependencies may be deeper than the stack.
 */
export function sortByDependencies(dependencies: readonly (readonly number[])[]): DependencyOrder {
  if (dependencies.every(({ length }) => length === 0)) {
    return { order: [...dependencies.keys()], cyclic: new Set() };
  }
  const order: number[] = [];
  const cyclic = new Set<number>();
  const indexes = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();

  function enter(node: number): Visit {
    const index = indexes.size;
    indexes.set(node, index);
    open.push(node);
    isOpen.add(node);
    return { node, index, low: index, next: 0 };
  }

  function close({ node }: Visit) {
    const component = open.splice(open.lastIndexOf(node));
    for (const member of component) {
      isOpen.delete(member);
      order.push(member);
      if (component.length > 1 || dependencies[node]?.includes(node)) cyclic.add(member);
    }
  }

  for (const root of dependencies.keys()) {
    if (indexes.has(root)) continue;
    const path: Visit[] = [enter(root)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const dependency = dependencies[visit.node]?.[visit.next++];
      if (dependency === undefined) {
        if (visit.low === visit.index) close(visit);
        path.pop();
        const parent = path.at(-1);
        if (parent !== undefined) parent.low = Math.min(parent.low, visit.low);
        continue;
      }
      const index = indexes.get(dependency);
      if (index === undefined) path.push(enter(dependency));
      else if (isOpen.has(dependency)) visit.low = Math.min(visit.low, index);
    }
  }
  return { order, cyclic };
}
