import { randomBytes } from 'node:crypto';

const FIRST_BITS = 13;
/** The places of each hash, so that a search is short. */
const PLACES = 2;
const EMPTY = -1;
/** Odd and secret, so that no client can choose ids with the same place. */
const [LOW_FACTOR, HIGH_FACTOR] = [randomBytes(4).readInt32LE() | 1, randomBytes(4).readInt32LE() | 1];

/** Numbers the hashes of people, each as two words, in the order in which they are added. */
export class PeopleTable {
  #bits = FIRST_BITS;
  #lows = new Uint32Array(2 ** FIRST_BITS / PLACES);
  #highs = new Uint32Array(2 ** FIRST_BITS / PLACES);
  #numbers = new Int32Array(2 ** FIRST_BITS).fill(EMPTY);
  #size = 0;

  /** The number of hashes. */
  get size(): number {
    return this.#size;
  }

  /** Returns the low word of a hash by its number. */
  low(number: number): number {
    return this.#lows[number] ?? 0;
  }

  /** Returns the high word of a hash by its number. */
  high(number: number): number {
    return this.#highs[number] ?? 0;
  }

  /** Returns the number of a hash, which is added if it is new. */
  add(low: number, high: number): number {
    const number = this.find(low, high);
    if (number !== EMPTY) return number;
    if (this.#size === this.#lows.length) this.#grow();
    const added = this.#size++;
    this.#lows[added] = low;
    this.#highs[added] = high;
    this.#numbers[this.#placeOf(low, high)] = added;
    return added;
  }

  /** Returns the number of a hash; -1 if it was not added. */
  find(low: number, high: number): number {
    return this.#numbers[this.#placeOf(low, high)] ?? EMPTY;
  }

  /** Returns the place of a hash, or the empty one where it belongs. */
  #placeOf(low: number, high: number): number {
    const last = this.#numbers.length - 1;
    let place = (Math.imul(low, LOW_FACTOR) + Math.imul(high, HIGH_FACTOR)) >>> (32 - this.#bits);
    for (;;) {
      const number = this.#numbers[place] ?? EMPTY;
      if (number === EMPTY || (this.#lows[number] === low && this.#highs[number] === high)) return place;
      place = (place + 1) & last;
    }
  }

  #grow(): void {
    const [lows, highs] = [this.#lows, this.#highs];
    this.#lows = new Uint32Array(lows.length * 2);
    this.#highs = new Uint32Array(lows.length * 2);
    this.#lows.set(lows);
    this.#highs.set(highs);
    this.#bits++;
    this.#numbers = new Int32Array(this.#lows.length * PLACES).fill(EMPTY);
    for (let number = 0; number < this.#size; number++) {
      this.#numbers[this.#placeOf(lows[number] ?? 0, highs[number] ?? 0)] = number;
    }
  }
}
