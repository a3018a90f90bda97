const SLOTS = 8_192;
/** Beyond these an object is left to JSON.parse: names can be chosen so that they collide. */
const MAX_NAMES = SLOTS / 2;
const MAX_PROBES = 16;
const MAX_STAMP = 0x3fff_0000;

/** A slot is taken when its stamp is not below `base`. The stamp says by which object. */
const stamps = new Uint32Array(SLOTS);
const hashes = new Int32Array(SLOTS);
let base = 1;
let stamp = 1;
let count = 0;

/** Begins a value: forgets the names of the one before. */
export function forgetNames(): void {
  if (stamp > MAX_STAMP) {
    stamps.fill(0);
    stamp = 1;
  }
  base = stamp;
  count = 0;
}

/** A number for the names of one object of the value. */
export function newObject(): number {
  return stamp++;
}

/** Adds a name, by its hash. Returns false when the object may have it already, or there are too many. */
export function addName(object: number, hash: number): boolean {
  if (++count > MAX_NAMES) return false;
  for (let probe = 0; probe < MAX_PROBES; probe++) {
    const slot = (hash + object + probe) & (SLOTS - 1);
    const taken = stamps[slot] ?? 0;
    if (taken < base) {
      stamps[slot] = object;
      hashes[slot] = hash;
      return true;
    }
    if (taken === object && hashes[slot] === hash) return false;
  }
  return false;
}
