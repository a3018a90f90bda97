interface Name {
  text: string;
  bytes: Uint8Array;
}

/** The position of an array's items in a text: from after its opening bracket to its closing bracket. */
export interface Items {
  start: number;
  end: number;
}

/** The text is not JSON or is nested too deeply. The message says which. */
export class InvalidJson extends Error {
  override name = 'InvalidJson';
}

/** Browsers nest elements up to 512 levels, and each takes two levels in a recorded page. */
export const MAX_DEPTH = 5_000;
/** The maximum number of times that the outermost object may repeat the name. JSON.parse uses the last. */
const MAX_REPEATS = 100;
/** The number of bytes scanned in one turn, which takes less than a millisecond. */
const SLICE_BYTES = 131_072;

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [MINUS, PLUS, POINT, ZERO, NINE, LOWER_U] = [0x2d, 0x2b, 0x2e, 0x30, 0x39, 0x75];

/** The token that is expected next. A closing bracket may follow an opening one, but not a comma. */
const [VALUE, FIRST_VALUE, KEY, FIRST_KEY, AFTER_KEY, AFTER_VALUE] = [0, 1, 2, 3, 4, 5];
const [TOP, ARRAY, OBJECT] = [0, 1, 2];

/** Returns a table of bytes with a 1 for each of these characters. */
export const bytesIn = (characters: string): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => (characters.includes(String.fromCharCode(byte)) ? 1 : 0));
const IS_SPACE = bytesIn(' \t\n\r');
const IS_ESCAPED = bytesIn('"\\/bfnrt');
const IS_HEX = bytesIn('0123456789abcdefABCDEF');
const ENDS_PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
);
/** The maximum number of bytes of an escaped character. */
const MAX_ESCAPED = 6;
const LITERALS = ['true', 'false', 'null'].map((text) => new TextEncoder().encode(text));

/**
 * Checks that a whole text is JSON without building its values. Returns the items of the arrays that the outermost
 * object has under a name, one for each repetition of the name. Awaits `turn` before each slice. Throws InvalidJson.
 */
export async function findItems(json: Buffer, name: string, turn: () => Promise<void>): Promise<Items[]> {
  const scan = new Scan(json, name);
  for (let end = SLICE_BYTES; ; end += SLICE_BYTES) {
    await turn();
    scan.to(Math.min(end, json.length));
    if (end >= json.length) return scan.found();
  }
}

class Scan {
  private readonly json: Uint8Array;
  private readonly name: Name;
  private readonly items: Items[] = [];
  /** The open bracket at each level. */
  private readonly open = new Uint8Array(MAX_DEPTH + 1);
  private depth = TOP;
  private expected = VALUE;
  private at = 0;
  /** The start of the string that the last slice ended in; otherwise -1. */
  private quote = -1;
  /** Whether the value of the name comes next or is being read. */
  private isNamed = false;
  private start = 0;

  constructor(json: Uint8Array, name: string) {
    this.json = json;
    this.name = { text: name, bytes: new TextEncoder().encode(name) };
  }

  /** Returns the items after the whole text was scanned. */
  found(): Items[] {
    if (this.depth > 0 || this.quote >= 0 || this.expected !== AFTER_VALUE) throw notJson();
    return this.items;
  }

  /** Scans to the end of a slice, or of the number at its end. */
  to(end: number): void {
    const { json, open } = this;
    // Locals are several times as fast as properties.
    let { at, depth, expected, quote } = this;
    while (at < end) {
      const byte = json[at] ?? 0;
      if (quote >= 0) {
        if (ENDS_PLAIN[byte] === 0) {
          do at++;
          while (at < end && ENDS_PLAIN[json[at] ?? 0] === 0);
        } else if (byte === BACKSLASH) {
          at = endOfEscape(json, at);
        } else if (byte === QUOTE) {
          if (expected === VALUE || expected === FIRST_VALUE) expected = AFTER_VALUE;
          else if (expected === KEY || expected === FIRST_KEY) {
            if (depth === 1) this.isNamed = isName(json, quote + 1, at, this.name);
            expected = AFTER_KEY;
          } else throw notJson();
          quote = -1;
          at++;
        } else throw notJson();
      } else if (byte === QUOTE) {
        quote = at;
        at++;
      } else if (byte === COMMA) {
        if (expected !== AFTER_VALUE || depth === 0) throw notJson();
        expected = open[depth] === OBJECT ? KEY : VALUE;
        at++;
      } else if (byte === COLON) {
        if (expected !== AFTER_KEY) throw notJson();
        expected = VALUE;
        at++;
      } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        if (expected !== VALUE && expected !== FIRST_VALUE) throw notJson();
        if (depth === MAX_DEPTH) throw new InvalidJson(`nested deeper than ${MAX_DEPTH} levels`);
        depth++;
        at++;
        open[depth] = byte === OPEN_ARRAY ? ARRAY : OBJECT;
        expected = byte === OPEN_ARRAY ? FIRST_VALUE : FIRST_KEY;
        if (depth === 2) this.start = at;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        const isArray = byte === CLOSE_ARRAY;
        if (open[depth] !== (isArray ? ARRAY : OBJECT)) throw notJson();
        if (expected !== AFTER_VALUE && expected !== (isArray ? FIRST_VALUE : FIRST_KEY)) throw notJson();
        if (depth === 2 && isArray && this.isNamed && open[1] === OBJECT) {
          if (this.items.length === MAX_REPEATS)
            throw new InvalidJson(`more than ${MAX_REPEATS} times ${this.name.text}`);
          this.items.push({ start: this.start, end: at });
        }
        open[depth] = TOP;
        depth--;
        expected = AFTER_VALUE;
        at++;
      } else if (IS_SPACE[byte] === 1) {
        at++;
      } else {
        if (expected !== VALUE && expected !== FIRST_VALUE) throw notJson();
        at = endOfScalar(json, at);
        expected = AFTER_VALUE;
      }
    }
    this.at = at;
    this.depth = depth;
    this.expected = expected;
    this.quote = quote;
  }
}

const notJson = () => new InvalidJson('not valid JSON');

/** Returns the index after the escape that begins with this backslash. */
function endOfEscape(json: Uint8Array, from: number): number {
  const escaped = json[from + 1] ?? 0;
  if (IS_ESCAPED[escaped] === 1) return from + 2;
  if (escaped !== LOWER_U) throw notJson();
  for (let at = from + 2; at < from + 6; at++) if (IS_HEX[json[at] ?? 0] !== 1) throw notJson();
  return from + 6;
}

/** Returns the index after the number or literal that begins here. */
function endOfScalar(json: Uint8Array, from: number): number {
  const first = json[from] ?? 0;
  if (first === MINUS || isDigit(first)) return endOfNumber(json, first === MINUS ? from + 1 : from);
  const literal = LITERALS.find((one) => one[0] === first);
  if (literal === undefined || !literal.every((byte, index) => json[from + index] === byte)) throw notJson();
  return from + literal.length;
}

function endOfNumber(json: Uint8Array, from: number): number {
  let at = json[from] === ZERO ? from + 1 : endOfDigits(json, from);
  if (json[at] === POINT) at = endOfDigits(json, at + 1);
  // `e` or `E`.
  if (((json[at] ?? 0) | 0x20) === 0x65) {
    const sign = json[at + 1];
    at = endOfDigits(json, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
  }
  return at;
}

/** Returns the index after the digits that begin here. At least one digit is required. */
function endOfDigits(json: Uint8Array, from: number): number {
  let at = from;
  while (isDigit(json[at] ?? 0)) at++;
  if (at === from) throw notJson();
  return at;
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;

/** Whether the string between these quotes is the name, with or without escapes. */
function isName(json: Uint8Array, start: number, end: number, { text, bytes }: Name): boolean {
  const length = end - start;
  if (length < bytes.length || length > MAX_ESCAPED * bytes.length) return false;
  if (length === bytes.length) return bytes.every((byte, index) => json[start + index] === byte);
  const quoted = Buffer.from(json.buffer, json.byteOffset + start - 1, length + 2).toString('utf8');
  return quoted.includes('\\') && JSON.parse(quoted) === text;
}
