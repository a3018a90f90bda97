import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { recordsIn } from './records.ts';

const idsIn = async (text: string, maxBytes = 1_000) => {
  const { records } = await recordsIn(Readable.from([Buffer.from(text)]), 'x.json', maxBytes);
  return records.map((one) => [one.place, 'record' in one ? one.record['id'] : one.fault]);
};

test.each([
  ['an object', { id: 1, data: [{ id: 2 }] }, [1]],
  ['a list', [{ id: 1 }, { id: 2 }], [1, 2]],
  ['a payload', { meta: {}, payload: [{ id: 1 }, { id: 2 }] }, [1, 2]],
  ['data with a payload', { data: { meta: {}, payload: [{ id: 1 }] } }, [1]],
  ['conversations', { type: 'conversation.list', conversations: [{ id: 1 }] }, [1]],
  ['pages', [{ payload: [{ id: 1 }] }, { payload: [{ id: 2 }] }], [1, 2]],
  ['no records', { payload: [] }, []],
])('finds the records in %s', async (_, value, ids) => {
  const found = await idsIn(JSON.stringify(value, null, 2));
  expect(found).toEqual(ids.map((id, index) => [`x.json:${index + 1}`, id]));
});

test('finds the records of lines, and names lines that are not JSON', async () => {
  expect(await idsIn('{"id":1}\n\n{"payload":[{"id":2}]}\nx\n')).toEqual([
    ['x.json:1', 1],
    ['x.json:3', 2],
    ['x.json:4', 'not JSON'],
  ]);
});

test('refuses files that are not JSON or too large', async () => {
  await expect(idsIn('conversations')).rejects.toThrow('x.json: neither JSON nor JSON lines');
  await expect(idsIn('[{"id":1}]', 5)).rejects.toThrow('too large to be read at once');
});
