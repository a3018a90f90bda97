import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processTerminal } from './terminal.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-cli-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(bytes: Uint8Array): Promise<string> {
  const path = join(folder, 'acme.yaml');
  await writeFile(path, bytes);
  return processTerminal()
    .read(path)
    .catch((error: Error) => error.message.replace(`${folder}/`, ''));
}

const utf16 = Buffer.from('plans: []\n', 'utf16le');

describe('files given to a command', () => {
  it('reads a file in UTF-8, with or without a byte order mark', async () => {
    for (const text of ['name: café', '\ufeffname: café']) {
      expect(await read(Buffer.from(text))).toBe('name: café');
    }
  });

  it.each([
    ['Latin-1', Buffer.from('name: x\nname: caf\xe9\n', 'latin1'), ':2: not UTF-8; save the file as UTF-8'],
    ['half a character', Buffer.from([0xc3]), ':1: not UTF-8; save the file as UTF-8'],
    ['UTF-16', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), ': UTF-16; save it as UTF-8'],
    [
      'big-endian UTF-16',
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]),
      ': UTF-16; save it as UTF-8',
    ],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), ': UTF-32; save it as UTF-8'],
    ['UTF-16 without a mark', utf16, ':1: contains a NUL character; save the file as UTF-8'],
  ])('refuses a file in %s, and explains the fix', async (_, bytes, message) => {
    expect(await read(bytes)).toBe(`acme.yaml${message}`);
  });
});
