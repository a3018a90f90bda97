/** Stores a value for each pair of keys. Two look-ups cost less than building a combined key, and allocate nothing. */
export function byPair<A, B, T>(make: (first: A, second: B) => T): (first: A, second: B) => T {
  const all = new Map<A, Map<B, T>>();

  return (first, second) => {
    let some = all.get(first);
    if (some === undefined) {
      some = new Map();
      all.set(first, some);
    }
    let value = some.get(second);
    if (value === undefined) {
      value = make(first, second);
      some.set(second, value);
    }
    return value;
  };
}
