import type { VisitPerson } from './engine.ts';

/**
 * Visits the rows of a result in ClickHouse's format RowBinary as `Engine.eachPerson` describes: a String, an
 * Array(Int64) and an Array(String).
 */
export async function visitRows(stream: AsyncIterable<Buffer>, visit: VisitPerson): Promise<void> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let wanted = 0;
  for await (const part of stream) {
    waiting.push(part);
    bytes += part.length;
    if (bytes < wanted) continue;
    const known = Buffer.concat(waiting);
    const rest = known.subarray(await visitComplete(known, visit));
    waiting = [rest];
    bytes = rest.length;
    // A row longer than a part is not read again for each part.
    wanted = bytes * 2;
  }
  const last = Buffer.concat(waiting);
  if ((await visitComplete(last, visit)) < last.length) throw new Error('ClickHouse ended within a row.');
}

/** Visits the complete rows, and returns where they end. */
async function visitComplete(bytes: Buffer, visit: VisitPerson): Promise<number> {
  let end = 0;
  for (;;) {
    const reader = readerOf(bytes, end);
    const [name, nameEnd] = reader.text();
    const count = reader.size();
    const first = reader.skip(count * BigInt64Array.BYTES_PER_ELEMENT);
    const last = reader.at();
    const labels = Array.from({ length: reader.size() }, reader.text);
    if (reader.isBeyond()) return end;
    end = reader.at();
    const visiting = visit({
      // Copied, because words are aligned.
      words: new Uint32Array(Uint8Array.from(bytes.subarray(first, last)).buffer),
      person: () => bytes.toString('utf8', name, nameEnd),
      label: (index) => bytes.toString('utf8', ...(labels[index] ?? [0, 0])),
    });
    if (visiting !== undefined) await visiting;
  }
}

/** Reads values one after the other. Beyond the end, they are empty. */
function readerOf(bytes: Buffer, start: number) {
  let at = start;
  let isBeyond = start === bytes.length;

  function skip(length: number): number {
    const before = at;
    at += length;
    isBeyond ||= at > bytes.length;
    return before;
  }

  /** Reads an unsigned LEB128 integer. */
  function size(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = isBeyond ? undefined : bytes[at];
      at++;
      if (byte === undefined) {
        isBeyond = true;
        return 0;
      }
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  }

  /** Reads a text, and returns where it begins and ends. */
  function text(): [number, number] {
    const length = size();
    return [skip(length), at];
  }

  return { skip, size, text, at: () => at, isBeyond: () => isBeyond };
}
