/** Counts equal paths in little memory. */
export interface PathTally {
  /** Returns the number of labels and of different paths so far. */
  size(): number;
  add(path: readonly string[]): void;
  /** Returns each different path with how many people took it. */
  paths(): Iterable<{ path: string[]; people: number }>;
}

export function createPathTally(): PathTally {
  const ids = new Map<string, number>();
  const labels: string[] = [];
  /** By the ids of the labels. */
  const counts = new Map<string, number>();
  const idOf = (label: string) => {
    const id = ids.get(label) ?? labels.length;
    if (id === labels.length) {
      ids.set(label, id);
      labels.push(label);
    }
    return id;
  };
  return {
    size: () => labels.length + counts.size,
    add(path) {
      const key = path.map(idOf).join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    *paths() {
      for (const [key, people] of counts) {
        yield { path: key.split(',').map((id) => labels[Number(id)] ?? ''), people };
      }
    },
  };
}
