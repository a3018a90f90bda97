/** The places of different events at different steps. */
export interface Places {
  /** Adds an event that can be any step of a mask. Returns whether it and all added before can be different steps. */
  add(mask: number): boolean;
}

export function createPlaces(): Places {
  const maskAt: (number | undefined)[] = [];

  /** Finds a step for an event, where events in the way may change theirs. */
  function place(mask: number, tried: Set<number>): boolean {
    for (let step = 0; 2 ** step <= mask; step++) {
      if ((mask >> step) % 2 === 0 || tried.has(step)) continue;
      tried.add(step);
      const other = maskAt[step];
      if (other !== undefined && !place(other, tried)) continue;
      maskAt[step] = mask;
      return true;
    }
    return false;
  }

  return { add: (mask) => place(mask, new Set()) };
}
