import { addName, forgetNames, newObject } from './name-set.ts';

/** Thrown if the bytes may not be JSON, or if JSON.parse is needed to interpret them. */
export class Doubt extends Error {
  override name = 'Doubt';
}
const DOUBT = new Doubt('needs JSON.parse');

export const SPACE = 0x20;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const ZERO = 0x30;
const NINE = 0x39;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
const QUOTE = 0x22;
const PLUS = 0x2b;
const POINT = 0x2e;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
/** The bit that makes a letter lower case. */
const CASE_BIT = 0x20;

const MAX_DEPTH = 64;
/** Numbers up to this length are finite if they have no exponent. */
const MAX_NUMBER_LENGTH = 25;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

const isOneOf = (characters: string) =>
  Uint8Array.from({ length: 256 }, (_, byte) => (characters.includes(String.fromCharCode(byte)) ? 1 : 0));
const AFTER_BACKSLASH = isOneOf('"\\/bfnrt');
const HEXADECIMAL = isOneOf('0123456789abcdefABCDEF');
const literal = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const LITERALS = new Map([literal('true'), literal('false'), literal('null')].map((one) => [one[0], one]));

/**
 * Scans valid UTF-8 as JSON without creating values. Throws Doubt for bytes that are not JSON, and for JSON
 * that JSON.parse and JSON.stringify would not preserve: numbers too large, equal names in an object, white
 * space other than spaces. The scanned JSON is therefore equivalent to their output, and on one line.
 */
export class JsonScan {
  readonly bytes: Uint8Array;
  /** The number of bytes. Reading beyond it, or reading `bytes.length`, would double the time. */
  readonly size: number;
  at = 0;
  /** The number of `{`, `[` and `,` so far. */
  values = 0;
  /** Where the content of the last string begins. `isEscaped` is whether it has a backslash. */
  from = 0;
  isEscaped = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.size = bytes.length;
  }

  /** Returns a byte, or 0 past the last. */
  byte(at: number): number {
    return at < this.size ? (this.bytes[at] ?? 0) : 0;
  }

  doubt(): never {
    throw DOUBT;
  }

  /** Skips spaces. Returns the next byte, or 0 at the end. */
  peek(): number {
    let byte = this.byte(this.at);
    while (byte === SPACE) byte = this.byte(++this.at);
    return byte;
  }

  /** Skips a byte that must come next. */
  expect(byte: number): void {
    if (this.peek() !== byte) this.doubt();
    this.at++;
  }

  /** Skips a comma, or the byte that ends the list. Returns whether there was a comma. */
  more(end: number): boolean {
    const byte = this.peek();
    this.at++;
    if (byte === COMMA) {
      this.values++;
      return true;
    }
    return byte === end ? false : this.doubt();
  }

  /** Skips the byte that begins a list or an object. */
  begin(byte: number): void {
    this.expect(byte);
    this.values++;
  }

  /** Checks that only white space follows. */
  end(): void {
    while (isBlank(this.byte(this.at))) this.at++;
    if (this.at !== this.size) this.doubt();
  }

  /** Skips a string. Its content ends one byte before `at`. */
  string(): void {
    this.expect(QUOTE);
    const { bytes, size } = this;
    let { at } = this;
    this.from = at;
    this.isEscaped = false;
    while (at < size) {
      const byte = bytes[at++] ?? 0;
      if (byte === QUOTE) {
        this.at = at;
        return;
      }
      if (byte < SPACE) this.doubt();
      if (byte === BACKSLASH) {
        this.isEscaped = true;
        at = this.escapeEnd(at);
      }
    }
    this.doubt();
  }

  /** Skips a name and its colon. Returns where the name ends. It begins at `from`. */
  name(): number {
    this.string();
    // The name may equal another one that is written without a backslash.
    if (this.isEscaped) this.doubt();
    const end = this.at - 1;
    this.expect(COLON);
    return end;
  }

  private escapeEnd(at: number): number {
    const byte = this.byte(at);
    if (AFTER_BACKSLASH[byte] === 1) return at + 1;
    if (byte !== LETTER_U) return this.doubt();
    for (let digit = at + 1; digit <= at + 4; digit++) {
      if (HEXADECIMAL[this.byte(digit)] !== 1) this.doubt();
    }
    return at + 5;
  }

  /** Skips any value. */
  value(): void {
    forgetNames();
    this.inner(0);
  }

  private inner(depth: number): void {
    const byte = this.peek();
    if (byte === QUOTE) this.string();
    else if (byte === OPEN_BRACE) this.object(depth);
    else if (byte === OPEN_BRACKET) this.array(depth);
    else if (byte === MINUS || isDigit(byte)) this.number();
    else this.literal(byte);
  }

  private object(depth: number): void {
    if (depth === MAX_DEPTH) this.doubt();
    this.begin(OPEN_BRACE);
    if (this.peek() === CLOSE_BRACE) {
      this.at++;
      return;
    }
    const object = newObject();
    do {
      if (!addName(object, this.nameHash())) this.doubt();
      this.inner(depth + 1);
    } while (this.more(CLOSE_BRACE));
  }

  /** Skips a name and its colon. Returns its hash. A name with a backslash may equal one without. */
  private nameHash(): number {
    this.expect(QUOTE);
    const { bytes, size } = this;
    let { at } = this;
    let hash = FNV_OFFSET;
    while (at < size) {
      const byte = bytes[at++] ?? 0;
      if (byte === QUOTE) {
        this.at = at;
        this.expect(COLON);
        return hash;
      }
      if (byte < SPACE || byte === BACKSLASH) this.doubt();
      hash = Math.imul(hash ^ byte, FNV_PRIME);
    }
    return this.doubt();
  }

  private array(depth: number): void {
    if (depth === MAX_DEPTH) this.doubt();
    this.begin(OPEN_BRACKET);
    if (this.peek() === CLOSE_BRACKET) {
      this.at++;
      return;
    }
    do this.inner(depth + 1);
    while (this.more(CLOSE_BRACKET));
  }

  private number(): void {
    const start = this.at;
    let at = this.byte(start) === MINUS ? start + 1 : start;
    at = this.byte(at) === ZERO ? at + 1 : this.digitsEnd(at);
    if (this.byte(at) === POINT) at = this.digitsEnd(at + 1);
    const hasExponent = (this.byte(at) | CASE_BIT) === LETTER_E;
    if (hasExponent) {
      const sign = this.byte(at + 1);
      at = this.digitsEnd(sign === MINUS || sign === PLUS ? at + 2 : at + 1);
    }
    if (at - start > MAX_NUMBER_LENGTH) this.doubt();
    if (hasExponent && !isFiniteNumber(this.bytes.subarray(start, at))) this.doubt();
    this.at = at;
  }

  private digitsEnd(start: number): number {
    let at = start;
    while (isDigit(this.byte(at))) at++;
    return at === start ? this.doubt() : at;
  }

  /** Skips true, false or null. */
  literal(first: number): void {
    const expected = LITERALS.get(first) ?? this.doubt();
    for (let i = 0; i < expected.length; i++) if (this.byte(this.at + i) !== expected[i]) this.doubt();
    this.at += expected.length;
  }
}

export const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;

const isFiniteNumber = (number: Uint8Array): boolean =>
  Number.isFinite(Number(String.fromCharCode(...number)));

const isBlank = (byte: number): boolean => byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
