const SLOTS = 8_192;
/** Beyond this number, names are left to JSON.parse, because names can be chosen so that they collide. */
const MAX_NAMES = SLOTS / 2;
const MAX_PROBES = 16;
const MAX_STAMP = 0x3fff_0000;

/** A slot is taken if its stamp is at least `base`. The stamp identifies the object. */
const stamps = new Uint32Array(SLOTS);
const hashes = new Int32Array(SLOTS);
let base = 1;
let stamp = 1;
let count = 0;

/** Begins a value and forgets the names of the previous one. */
export function forgetNames(): void {
  if (stamp > MAX_STAMP) {
    stamps.fill(0);
    stamp = 1;
  }
  base = stamp;
  count = 0;
}

/** Returns a number for the names of one object of the value. */
export function newObject(): number {
  return stamp++;
}

/** Adds a name by its hash. Returns false if the object may already have it, or if there are too many. */
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
