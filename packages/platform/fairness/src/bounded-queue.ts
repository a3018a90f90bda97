/** A task in the queue. It waits until `begin` is called. */
interface Entry {
  /** Aborts with the error of `full` when the task has to give way. */
  signal: AbortSignal;
  begin(): void;
  leave(): void;
}

interface Waiting {
  fairnessKey: string;
  giveWay: AbortController;
}

/**
 * Creates a bound on the tasks that run and wait. If it is reached, the fairness key with the most tasks gives way:
 * its last waiting task for a task of another key, otherwise the new task. `full` returns the error of the task that
 * gives way.
 */
export function createBoundedQueue(
  maxTasks: number,
  full: () => Error,
): {
  /** Throws the error of `full`. */
  enter(fairnessKey: string): Entry;
} {
  /** In order of arrival. */
  const waiting = new Set<Waiting>();
  const counts = new Map<string, number>();
  let tasks = 0;

  function count(fairnessKey: string, more: number): void {
    tasks += more;
    const now = (counts.get(fairnessKey) ?? 0) + more;
    if (now > 0) counts.set(fairnessKey, now);
    else counts.delete(fairnessKey);
  }

  /** Returns the last waiting task of the key with the most tasks, if these are more than `than`. */
  function lastOfMost(than: number): Waiting | undefined {
    const most = Math.max(...counts.values());
    if (most <= than) return undefined;
    return [...waiting].findLast(({ fairnessKey }) => counts.get(fairnessKey) === most);
  }

  return {
    enter(fairnessKey) {
      if (tasks >= maxTasks) {
        const other = lastOfMost((counts.get(fairnessKey) ?? 0) + 1);
        if (other === undefined) throw full();
        waiting.delete(other);
        other.giveWay.abort(full());
      }
      const one = { fairnessKey, giveWay: new AbortController() };
      waiting.add(one);
      count(fairnessKey, 1);
      return {
        signal: one.giveWay.signal,
        begin: () => void waiting.delete(one),
        leave() {
          waiting.delete(one);
          count(fairnessKey, -1);
        },
      };
    },
  };
}
