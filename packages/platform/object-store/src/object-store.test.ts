import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { s3Access } from '@switchboard/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { keyPart, type ListedObject, type ObjectStore, ObjectStoreError, openObjectStore } from './index.ts';

const s3 = await s3Access();
const base = `contract-${process.pid}-${Date.now()}`;

async function read(store: ObjectStore, key: string): Promise<Buffer | undefined> {
  const found = await store.get(key);
  if (found === undefined) return undefined;
  const bytes = await buffer(found.body);
  expect(bytes.length).toBe(found.size);
  return bytes;
}

async function keys(store: ObjectStore, prefix: string): Promise<string[]> {
  return (await listing(store, prefix)).map(({ key }) => key);
}

async function listing(store: ObjectStore, prefix: string): Promise<ListedObject[]> {
  const all: ListedObject[] = [];
  for await (const one of store.list(prefix)) all.push(one);
  return all;
}

describe.each([
  ['a folder', true],
  ['S3', s3 !== undefined],
])('the object store in %s', (kind, isThere) => {
  let store: ObjectStore;
  let folder: string | undefined;

  beforeAll(async () => {
    if (!isThere) return;
    if (kind === 'S3' && s3 !== undefined) {
      store = openObjectStore(s3);
      return;
    }
    folder = await mkdtemp(join(tmpdir(), 'switchboard-objects-'));
    store = openObjectStore({ folder: join(folder, 'made', 'when-needed') });
  });
  afterAll(async () => {
    if (!isThere) return;
    for await (const { key } of store.list(`${base}/`)) await store.delete(key);
    store.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  describe.skipIf(!isThere)('an open object store', () => {
    test('reads back an object of any bytes and size unchanged', async () => {
      const sizes = [0, 1, 65_536, 3_000_001];
      for (const size of sizes) {
        const bytes = Buffer.from(Array.from({ length: size }, (_, index) => (index * 7919) % 256));
        await store.put(`${base}/sizes/${size}`, bytes);
        expect((await read(store, `${base}/sizes/${size}`))?.equals(bytes)).toBe(true);
      }
      const page = Buffer.from('xxhelloxx');
      await store.put(`${base}/view`, page.subarray(2, 7));
      expect(String(await read(store, `${base}/view`))).toBe('hello');
    });

    test('reads a part of an object', async () => {
      await store.put(`${base}/digits`, Buffer.from('0123456789'));
      const part = async (start: number, end: number) => {
        const found = await store.get(`${base}/digits`, { start, end });
        const bytes = found && (await buffer(found.body));
        return [found?.size, String(bytes)];
      };
      expect(await part(0, 1)).toEqual([1, '0']);
      expect(await part(3, 6)).toEqual([3, '345']);
      expect(await part(8, 20)).toEqual([2, '89']);
      expect(await store.get(`${base}/nothing`, { start: 0, end: 1 })).toBeUndefined();
    });

    test('returns undefined for a missing object and for a folder of keys', async () => {
      await store.put(`${base}/parent/child`, Buffer.from('x'));
      expect(await store.get(`${base}/nothing`)).toBeUndefined();
      expect(await store.get(`${base}/parent/child/below`)).toBeUndefined();
    });

    test('replaces an object that is stored again', async () => {
      await store.put(`${base}/again`, Buffer.from('a longer first text'));
      await store.put(`${base}/again`, Buffer.from('second'));
      expect(String(await read(store, `${base}/again`))).toBe('second');
    });

    test('deletes an object, and accepts deleting it again', async () => {
      await store.put(`${base}/gone`, Buffer.from('x'));
      await store.delete(`${base}/gone`);
      await store.delete(`${base}/gone`);
      await store.delete(`${base}/never/was`);
      expect(await store.get(`${base}/gone`)).toBeUndefined();
      expect(await keys(store, `${base}/gone`)).toEqual([]);
    });

    test('lists every key with the prefix in order, with size and time', async () => {
      const names = ['l/a', 'l/a-b', 'l/a=1/x', 'l/b/1', 'l/b/10', 'l/b/2', 'l/bb', 'm/1'];
      const before = Date.now() - 60_000;
      for (const name of names.toReversed()) await store.put(`${base}/${name}`, Buffer.from(name));
      const listed = async (prefix: string) =>
        (await keys(store, `${base}/${prefix}`)).map((key) => key.slice(base.length + 1));
      expect(await listed('l/')).toEqual(names.slice(0, 7));
      expect(await listed('l/b')).toEqual(['l/b/1', 'l/b/10', 'l/b/2', 'l/bb']);
      expect(await listed('l/b/1')).toEqual(['l/b/1', 'l/b/10']);
      expect(await listed('nothing/')).toEqual([]);
      const [first] = await listing(store, `${base}/l/b/10`);
      expect(first?.size).toBe(6);
      expect(first?.modifiedAt.getTime()).toBeGreaterThan(before);
    });

    test('lists more than a thousand keys', async () => {
      const many = Array.from(
        { length: 1005 },
        (_, index) => `${base}/many/${String(index).padStart(4, '0')}`,
      );
      for (let at = 0; at < many.length; at += 50) {
        await Promise.all(many.slice(at, at + 50).map((key) => store.put(key, Buffer.from('x'))));
      }
      expect(await keys(store, `${base}/many/`)).toEqual(many);
    });

    test('keeps one complete object after concurrent writes of one key', async () => {
      const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(200_000, index + 1));
      await Promise.all(bodies.map((body) => store.put(`${base}/race`, body)));
      const left = await read(store, `${base}/race`);
      expect(bodies.some((body) => left?.equals(body))).toBe(true);
    });

    test('throws for an invalid key without a request', async () => {
      const bad = [
        '',
        '/a',
        'a/',
        'a//b',
        '../a',
        'a/../b',
        '.',
        'a/.hidden',
        'a\\b',
        'a b',
        'a%2fb',
        'ä',
        'a\0',
      ];
      for (const key of [...bad, 'a'.repeat(201), Array(20).fill('a'.repeat(60)).join('/')]) {
        await expect(async () => store.put(key, Buffer.from('x'))).rejects.toThrow(RangeError);
        await expect(async () => store.get(key)).rejects.toThrow(RangeError);
        await expect(async () => store.delete(key)).rejects.toThrow(RangeError);
      }
      await expect(keys(store, '../')).rejects.toThrow(RangeError);
    });

    test('encodes any text as part of a key', async () => {
      const texts = ['', 'a/b', '../..', 'Zoë 🎉', 'A', 'a', '=', '%00', 'x'.repeat(500)];
      for (const text of texts) await store.put(`${base}/parts/${keyPart(text)}`, Buffer.from(text));
      for (const text of texts) {
        expect(String(await read(store, `${base}/parts/${keyPart(text)}`))).toBe(text);
      }
    });

    test('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });
  });
});

test('encodes different texts differently', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, other) => {
      expect(keyPart(one) === keyPart(other)).toBe(one === other);
    }),
  );
});

test('omits an unfinished file from listings', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-objects-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const store = openObjectStore({ folder });
  await store.put('done', Buffer.from('x'));
  const [unfinished] = (await readdir(folder)).filter((name) => name.startsWith('.'));
  await writeFile(join(folder, unfinished ?? '', 'left'), 'half');
  expect(await keys(store, '')).toEqual(['done']);
});

describe('a server that fails', () => {
  async function serverThat(answer: RequestListener, timeoutMs = 200) {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const port = Object(server.address()).port as number;
    const store = openObjectStore({
      ...named,
      endpoint: `http://127.0.0.1:${port}`,
      timeoutMs,
    });
    onTestFinished(() => store.close());
    return store;
  }
  const named = { accessKey: 'a', secretKey: 'b', bucket: 'bucket', region: 'eu-central-1' };

  test('throws when the server is unavailable', async () => {
    const store = openObjectStore({ ...named, endpoint: 'http://127.0.0.1:1' });
    await expect(store.put('a', Buffer.from('x'))).rejects.toThrow(ObjectStoreError);
    await expect(store.get('a')).rejects.toThrow(ObjectStoreError);
    await expect(store.delete('a')).rejects.toThrow(ObjectStoreError);
    await expect(keys(store, 'a')).rejects.toThrow(ObjectStoreError);
    await expect(store.ping()).rejects.toThrow(ObjectStoreError);
  });

  test('accepts an endpoint with an IPv6 address', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers.host);
      request.resume();
      response.writeHead(200, { ETag: '"x"' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
    onTestFinished(() => void server.close());
    const host = `[::1]:${Object(server.address()).port}`;
    const store = openObjectStore({ ...named, endpoint: `http://${host}` });
    onTestFinished(() => store.close());
    await store.put('a', Buffer.from('x'));
    expect(asked).toEqual([host]);
  });

  test('times out requests when the server does not respond', async () => {
    let asked = 0;
    const store = await serverThat(() => asked++);
    await expect(store.get('a')).rejects.toThrow(ObjectStoreError);
    expect(asked).toBe(1);
    await expect(store.put('a', Buffer.alloc(1000))).rejects.toThrow(ObjectStoreError);
    expect(asked).toBe(3);
  });

  test('repeats a PUT once when the server carried it out and responded too late', async () => {
    let asked = 0;
    const store = await serverThat((request, response) => {
      request.resume();
      asked += 1;
      if (asked > 1) response.writeHead(200, { ETag: '"x"' }).end();
    });
    await store.put('a', Buffer.from('x'));
    expect(asked).toBe(2);
  });

  test('waits for a response as long as the time-out allows', async () => {
    const store = await serverThat((request, response) => {
      request.resume();
      setTimeout(() => response.writeHead(200, { ETag: '"x"' }).end(), 400);
    }, 30_000);
    await expect(store.put('a', Buffer.from('x'))).resolves.toBeUndefined();
  });

  test('fails the stream when the server breaks off within an object', async () => {
    const store = await serverThat((_, response) => {
      response.writeHead(200, { 'Content-Length': '1000', 'Last-Modified': new Date(0).toUTCString() });
      response.write('only this');
    });
    const found = await store.get('a');
    expect(found?.size).toBe(1000);
    await expect(found && buffer(found.body)).rejects.toThrow(ObjectStoreError);
  });

  test('retries a temporary failure, and does not retry a refusal', async () => {
    let asked = 0;
    const store = await serverThat((request, response) => {
      asked += 1;
      request.resume();
      const fails = asked < 3 ? 503 : 200;
      if (request.url?.includes('refused')) response.writeHead(403).end();
      else response.writeHead(fails, { ETag: '"x"' }).end();
    });
    await store.put('a', Buffer.from('x'));
    expect(asked).toBe(3);
    await expect(store.put('refused', Buffer.from('x'))).rejects.toThrow(ObjectStoreError);
    expect(asked).toBe(4);
  });
});

test('measures calls, including failed ones', async () => {
  const made: string[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'objects-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const store = openObjectStore({ folder }, (operation) => (failure) => {
    made.push(failure === undefined ? operation : `${operation} failed`);
  });
  await store.put('a/1', Buffer.from('x'));
  await store.put('a/2', Buffer.from('x'));
  expect(await keys(store, 'a/')).toEqual(['a/1', 'a/2']);
  expect(await keys(store, 'b/')).toEqual([]);
  expect(await read(store, 'a/1')).toEqual(Buffer.from('x'));
  await store.delete('a/1');
  await expect(store.put('a/2/3', Buffer.from('x'))).rejects.toThrow();
  expect(made).toEqual(['put', 'put', 'list', 'list', 'get', 'delete', 'put failed']);
});
