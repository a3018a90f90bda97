import type { Json } from './json.ts';

/** The items of a JSON array as bytes, without its brackets. */
export class UnparsedItems {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  static of(items: readonly Json[] | UnparsedItems): UnparsedItems {
    if (items instanceof UnparsedItems) return items;
    return new UnparsedItems(new TextEncoder().encode(JSON.stringify(items).slice(1, -1)));
  }
}
