/** A member of a group, as described in its join request. */
export interface Member {
  id: string;
  topics: readonly string[];
  /** The group's generation when the member got the partitions it owns. A member may have missed the newest one. */
  generation: number;
  /** The owned partitions by topic. */
  owned: Readonly<Record<string, readonly number[]>>;
}

/**
 * Spreads the partitions of each topic evenly over the members that read it, and moves as few as possible. A member
 * that keeps a partition does not have to reread records that it has not stored yet.
 */
export function assignPartitions(
  members: readonly Member[],
  partitions: ReadonlyMap<string, readonly number[]>,
): Map<string, Record<string, number[]>> {
  const assigned = new Map(members.map(({ id }) => [id, {} as Record<string, number[]>]));
  const total = new Map(members.map(({ id }) => [id, 0]));
  // If two members claim a partition, the newer claim wins.
  const sorted = members.toSorted((a, b) => b.generation - a.generation || (a.id < b.id ? -1 : 1));
  for (const [topic, all] of partitions) {
    const readers = sorted.filter(({ topics }) => topics.includes(topic));
    const held = new Map(readers.map(({ id }) => [id, [] as number[]]));
    const free = new Set(all);
    for (const { id, owned } of readers) {
      for (const partition of owned[topic] ?? []) if (free.delete(partition)) held.get(id)?.push(partition);
    }
    const byLoad = () =>
      [...held].sort(
        ([a, ofA], [b, ofB]) => ofA.length - ofB.length || (total.get(a) ?? 0) - (total.get(b) ?? 0),
      );
    for (const partition of free) byLoad()[0]?.[1].push(partition);
    for (;;) {
      const loads = byLoad();
      const [least, most] = [loads[0]?.[1], loads.at(-1)?.[1]];
      if (least === undefined || most === undefined || most.length - least.length <= 1) break;
      const moved = most.pop();
      if (moved !== undefined) least.push(moved);
    }
    for (const [id, own] of held) {
      const ofMember = assigned.get(id);
      if (own.length === 0 || ofMember === undefined) continue;
      ofMember[topic] = own.sort((a, b) => a - b);
      total.set(id, (total.get(id) ?? 0) + own.length);
    }
  }
  return assigned;
}
