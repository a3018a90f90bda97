/** An object that can be a member of one collection. */
export interface Member {
  /** The object's index in the collection. Only the collection uses it. */
  place: number;
}

/**
 * Unordered objects that are added and removed with every request. Not a Set: when V8 rebuilds its table, the old
 * table keeps a reference to the new one. Once such a table is in the old generation, the tables that follow it and
 * everything they have held are kept until a collection of the whole heap. They survive every quick collection.
 * Source: `OrderedHashTable::Rehash` in V8's src/objects/ordered-hash-table.cc.
 */
export class Members<T extends Member> implements Iterable<T> {
  readonly #all: T[] = [];

  get size(): number {
    return this.#all.length;
  }

  add(one: T): void {
    one.place = this.#all.length;
    this.#all.push(one);
  }

  /** Removes an object. Does nothing if it is not a member. */
  delete(one: T): void {
    const { place } = one;
    if (this.#all[place] !== one) return;
    const last = this.#all.pop();
    if (last === undefined || last === one) return;
    this.#all[place] = last;
    last.place = place;
  }

  /** Iterates over the members. The visited one may be deleted during iteration. Added members are not visited. */
  *[Symbol.iterator](): Iterator<T> {
    for (let place = this.#all.length - 1; place >= 0; place--) {
      const one = this.#all[place];
      if (one !== undefined) yield one;
    }
  }
}
