import type { Event, EventBatch, EventContext } from '@switchboard/contracts';

/** The number of a name that is not in the contract. */
export const UNKNOWN = -1;

/** The members of each object of a batch, numbered so that a set of members fits the bits of a number. */
export const BATCH = { api_key: 0, events: 1, sent_at: 2 } satisfies Record<keyof EventBatch, number>;
export const EVENT = {
  distinct_id: 0,
  event_id: 1,
  event_name: 2,
  schema_version: 3,
  timestamp: 4,
  session_id: 5,
  properties: 6,
  context: 7,
} satisfies Record<keyof Event, number>;
export const CONTEXT = { locale: 0, os: 1, sdk: 2, sdk_version: 3 } satisfies Record<
  keyof EventContext,
  number
>;

interface Name {
  /** The name with its quotes and the colon. */
  bytes: Uint8Array;
  id: number;
}

/** The names of one object's members, for recognising them in bytes. */
export class Names {
  private readonly byLength: (readonly Name[] | undefined)[] = [];
  /** The last names found, by place. The objects of a client have their names in the same order. */
  private readonly last: (Name | undefined)[] = [];

  constructor(ids: Readonly<Record<string, number>>) {
    for (const [name, id] of Object.entries(ids)) {
      const bytes = Uint8Array.from(Buffer.from(`"${name}":`));
      this.byLength[name.length] = [...(this.byLength[name.length] ?? []), { bytes, id }];
    }
    this.last = Object.keys(ids).map(() => undefined);
  }

  /** Returns the name last found in this place, if it is also at `from`. */
  again(place: number, bytes: Uint8Array, from: number): Name | undefined {
    const name = place < this.last.length ? this.last[place] : undefined;
    return name !== undefined && startsWith(bytes, from, name.bytes) ? name : undefined;
  }

  /** Returns the number of the name from its opening quote at `from` to `to`. */
  find(place: number, bytes: Uint8Array, from: number, to: number): number {
    for (const name of this.byLength[to - from - 1] ?? []) {
      // Compares without the colon, which may come after spaces.
      if (!startsWith(bytes, from, name.bytes.subarray(0, -1))) continue;
      if (place < this.last.length) this.last[place] = name;
      return name.id;
    }
    return UNKNOWN;
  }
}

function startsWith(bytes: Uint8Array, from: number, name: Uint8Array): boolean {
  const { length } = name;
  if (from + length > bytes.length) return false;
  for (let i = 0; i < length; i++) if (bytes[from + i] !== name[i]) return false;
  return true;
}
