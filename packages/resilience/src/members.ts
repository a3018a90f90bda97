/** An object that can be a member of one collection. */
export interface Member {
  /** Its place among the members. Only for the collection. */
  place: number;
}

/**
 * Objects that come and go with every request, in no order. Not a Set: when V8 makes its table anew, the old table
 * keeps a reference to the new one. Once such a table is in the old generation, those that follow it and all that they
 * have held are kept until a collection of the whole heap, as garbage that survives every quick one.
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

  /** Does nothing if it is no member. */
  delete(one: T): void {
    const { place } = one;
    if (this.#all[place] !== one) return;
    const last = this.#all.pop();
    if (last === undefined || last === one) return;
    this.#all[place] = last;
    last.place = place;
  }

  /** The member that is visited may be deleted meanwhile, and others added, which are not visited. */
  *[Symbol.iterator](): Iterator<T> {
    for (let place = this.#all.length - 1; place >= 0; place--) {
      const one = this.#all[place];
      if (one !== undefined) yield one;
    }
  }
}
