const ASCII_END = 0x80;
/** Node.js writes longer texts. The call alone takes as long as writing this many characters here. */
const MAX_SHORT = 63;

/** Writes the types of the Kafka protocol into a buffer with enough room. */
export class Writer {
  private readonly buffer: Buffer;
  at: number;

  constructor(buffer: Buffer, at: number) {
    this.buffer = buffer;
    this.at = at;
  }

  written(): Buffer {
    return this.buffer.subarray(0, this.at);
  }

  byte(value: number): void {
    this.buffer[this.at++] = value;
  }

  /** Writes a signed number of up to 31 bits. */
  varint(value: number): void {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** Writes at `start` the length of the bytes that follow it. `room` bytes were left there for the length. */
  lengthAt(start: number, room: number): void {
    const { buffer, at } = this;
    const length = at - start - room;
    const needed = varintLength(length);
    if (needed !== room) buffer.copyWithin(start + needed, start + room, at);
    this.at = start;
    this.varint(length);
    this.at = start + needed + length;
  }

  /** Writes bytes, preceded by their length. */
  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.buffer.set(value, this.at);
    this.at += value.length;
  }

  /** Writes a text as UTF-8, preceded by its length. */
  text(value: string): void {
    if (value.length <= MAX_SHORT && this.ascii(value)) return;
    this.varint(Buffer.byteLength(value));
    this.at += this.buffer.write(value, this.at);
  }

  /** Writes a short ASCII text and returns true. Returns false if it contains other characters. */
  private ascii(value: string): boolean {
    const { buffer, at } = this;
    const { length } = value;
    const start = at + 1;
    for (let i = 0; i < length; i++) {
      const unit = value.charCodeAt(i);
      if (unit >= ASCII_END) return false;
      buffer[start + i] = unit;
    }
    buffer[at] = length << 1;
    this.at = start + length;
    return true;
  }
}

/** Returns the encoded length of a number of up to 31 bits. */
export function varintLength(value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  let bytes = 1;
  while (rest > 0x7f) {
    rest >>>= 7;
    bytes++;
  }
  return bytes;
}
