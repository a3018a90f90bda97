import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { crc32, gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { inputsOf } from './inputs.ts';
import { type Line, linesOf } from './lines.ts';

async function linesIn(...chunks: (string | Buffer)[]) {
  const found: Line[] = [];
  for await (const lines of linesOf(Readable.from(chunks.map((one) => Buffer.from(one)))))
    found.push(...lines);
  return found.map((one) => [one.line, 'text' in one ? one.text : one.fault]);
}

it('reads lines across chunks, without empty ones and a byte order mark', async () => {
  expect(await linesIn('\ufeffo', 'ne\n\n', 'th', 'ree\nfour')).toEqual([
    [1, 'one'],
    [3, 'three'],
    [4, 'four'],
  ]);
});

it('names lines that are too long or not UTF-8, and goes on after them', async () => {
  const long = 'x'.repeat(1_500_000);
  const tooLong = 'longer than 2000000 bytes';
  expect(await linesIn('a\n', long, long, long, 'x\nb\n', Buffer.from([0xff, 0x0a]), 'c\n')).toEqual([
    [1, 'a'],
    [2, tooLong],
    [3, 'b'],
    [4, 'not UTF-8'],
    [5, 'c'],
  ]);
  expect(await linesIn(long, long)).toEqual([[1, tooLong]]);
});

it('reads plain and gzipped files of folders and zip files in order, with the same checksum each time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-inputs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'more'));
  await writeFile(join(folder, 'b.jsonl'), 'plain');
  await writeFile(join(folder, 'a.jsonl.gz'), gzipSync('gzipped'));
  await writeFile(join(folder, 'more', 'empty.jsonl'), '');
  await writeFile(join(folder, 'z.zip'), zipOf('1/x.json.gz', gzipSync('gzipped')));
  const read = async () => {
    const found: [string, string, string][] = [];
    for await (const { place, content, open } of inputsOf([folder]))
      found.push([place.slice(folder.length + 1), content, await text(await open())]);
    return found;
  };
  const found = await read();
  expect(found.map(([place, , content]) => [place, content])).toEqual([
    ['a.jsonl.gz', 'gzipped'],
    ['b.jsonl', 'plain'],
    ['more/empty.jsonl', ''],
    ['z.zip/1/x.json.gz', 'gzipped'],
  ]);
  expect(await read()).toEqual(found);
  expect(new Set(found.map(([, content]) => content)).size).toBe(4);
  await expect(inputsOf([join(folder, 'none')]).next()).rejects.toThrow('cannot be read (ENOENT)');
});

/** Returns a zip file with one entry that is not compressed. */
function zipOf(name: string, content: Buffer): Buffer {
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(content.length, 14);
  common.writeUInt32LE(content.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), content]);
  const entry = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\x00'),
    common,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(entry.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, entry, Buffer.from('PK\x05\x06'), end]);
}
