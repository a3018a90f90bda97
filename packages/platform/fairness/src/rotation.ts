type Resume = () => void;

/**
 * A queue of waiting callers. Each fairness key has its callers in the order of their calls. `next` takes the keys in
 * rotation.
 */
export function createRotation() {
  const waiting = new Map<string, Resume[]>();
  return {
    add(key: string, resume: Resume): void {
      const queue = waiting.get(key);
      if (queue === undefined) waiting.set(key, [resume]);
      else queue.push(resume);
    },
    /** Returns the next caller among the keys that `may` accepts. */
    next(may: (key: string) => boolean = () => true): Resume | undefined {
      for (const [key, queue] of waiting) {
        if (!may(key)) continue;
        waiting.delete(key);
        const resume = queue.shift();
        if (queue.length > 0) waiting.set(key, queue);
        return resume;
      }
      return undefined;
    },
    isEmpty: (): boolean => waiting.size === 0,
    remove(key: string, resume: Resume): void {
      const left = waiting.get(key)?.filter((one) => one !== resume) ?? [];
      if (left.length > 0) waiting.set(key, left);
      else waiting.delete(key);
    },
  };
}
