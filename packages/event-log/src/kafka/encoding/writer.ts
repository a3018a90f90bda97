const ASCII_END = 0x80;
/** Longer texts are left to Node.js, whose call alone takes as long as writing so many characters here. */
const MAX_SHORT = 63;

/** Writes the types of the Kafka protocol into a buffer that has room for them. */
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

  /** A signed number of up to 31 bits. */
  varint(value: number): void {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** Writes the length of everything after `start` and the room that was left for it there. */
  lengthAt(start: number, room: number): void {
    const { buffer, at } = this;
    const length = at - start - room;
    const needed = varintLength(length);
    if (needed !== room) buffer.copyWithin(start + needed, start + room, at);
    this.at = start;
    this.varint(length);
    this.at = start + needed + length;
  }

  /** Bytes after their length. */
  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.buffer.set(value, this.at);
    this.at += value.length;
  }

  /** A text as UTF-8 after its length. */
  text(value: string): void {
    if (value.length <= MAX_SHORT && this.ascii(value)) return;
    this.varint(Buffer.byteLength(value));
    this.at += this.buffer.write(value, this.at);
  }

  /** Writes a short text and returns true, unless it has other characters. */
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

/** The bytes of a number of up to 31 bits. */
export function varintLength(value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  let bytes = 1;
  while (rest > 0x7f) {
    rest >>>= 7;
    bytes++;
  }
  return bytes;
}
