import { gzipSync } from 'node:zlib';
import { createByteBudget, createReservations } from '@switchboard/fairness';
import { describe, expect, it } from 'vitest';
import { PayloadTooLarge, Unavailable } from '../exchange/errors.ts';
import { createUnzip } from './unzip.ts';

const LIMIT = 1_000_000;

function unzipWithin(maxBytes = LIMIT, budgetBytes = 4 * LIMIT) {
  const budget = createByteBudget(budgetBytes);
  const open = createReservations(budget, () => new Unavailable('no memory'));
  const reservation = open('address a');
  return { unzip: createUnzip({ reservation, fairnessKey: 'a', maxBytes }), reservation, open };
}
const { unzip } = unzipWithin(100 * LIMIT, 400 * LIMIT);
const text = async (gzip: Buffer) => (await unzip(gzip))?.toString();

/** Changes the size that gzip states of itself. */
function stating(gzip: Buffer, size: number): Buffer {
  const changed = Buffer.from(gzip);
  changed.writeUInt32LE(size, changed.length - 4);
  return changed;
}

describe('gzip in a body', () => {
  it.each([
    ['small', [1, 'é']],
    ['large', Array.from({ length: 50_000 }, (_, n) => ({ n, text: 'é' }))],
  ])('is decompressed if it is %s', async (_, value) => {
    const json = JSON.stringify(value);
    expect(await text(gzipSync(json))).toBe(json);
  });

  it.each([
    ['no gzip', Buffer.from('a text that is not compressed')],
    ['empty', Buffer.alloc(0)],
    ['gzip of nothing', gzipSync('')],
    ['cut off', gzipSync(JSON.stringify('a'.repeat(100))).subarray(0, -9)],
    ['gzip of no JSON', gzipSync('{"a":1},{"b":2}')],
    ['gzip of large text that is no JSON', gzipSync(`[${'1,'.repeat(100_000)}`)],
    ['gzip of no UTF-8', gzipSync(Buffer.from([0x22, 0xff, 0x22]))],
    ['gzip of JSON that is nested too deeply', gzipSync('['.repeat(5_001) + ']'.repeat(5_001))],
    ['stating less than it has', stating(gzipSync(JSON.stringify('a'.repeat(1_000))), 100)],
    ['stating more than it has', stating(gzipSync(JSON.stringify('a'.repeat(1_000))), 5_000)],
    ['stating more than gzip can hold', stating(gzipSync('[]'), 50_000_000)],
  ])('is refused if it is %s', async (_, gzip) => {
    expect(await unzip(gzip)).toBeUndefined();
  });

  it('is limited in all parts of a body together, and its memory is reserved first', async () => {
    const part = gzipSync(JSON.stringify('a'.repeat(LIMIT / 2 - 2)));
    const { unzip: limited, reservation } = unzipWithin();
    expect((await limited(part))?.length).toBe(LIMIT / 2);
    expect(reservation.taken()).toBe(LIMIT / 2);
    await limited(part);
    await expect(limited(gzipSync('[]'))).rejects.toThrow(PayloadTooLarge);
    expect(reservation.taken()).toBe(LIMIT);

    const { unzip: ofMany } = unzipWithin(10_000);
    for (let n = 0; n < 10; n++) expect((await ofMany(gzipSync('[]')))?.toString()).toBe('[]');
    await expect(ofMany(gzipSync('[]'))).rejects.toThrow(PayloadTooLarge);

    const { unzip: short, open } = unzipWithin(LIMIT, LIMIT);
    open('address b').take(LIMIT * 0.9);
    await expect(short(part)).rejects.toThrow(Unavailable);
  });
});
