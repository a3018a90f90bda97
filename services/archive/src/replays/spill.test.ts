import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openObjectStore } from '@switchboard/object-store';
import { expect, it } from 'vitest';
import { createSpill } from './spill.ts';

it('keeps the parts of the present owner of a partition when an earlier owner removes its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spill-'));
  const objects = openObjectStore({ folder });
  const record = {
    topic: 'replays',
    partition: 0,
    offset: 7n,
    timestamp: 1,
    key: null,
    headers: {},
    value: Buffer.from('part'),
  };
  const [former, present] = [createSpill(objects, 0), createSpill(objects, 0)];
  await former.put(record);
  await present.put(record);
  await former.remove(record);
  expect((await present.get({ ...record, value: null })).value).toEqual(record.value);
  await former.put(record);
  await present.clear();
  for await (const { key } of objects.list('')) expect(key).toBe('');
  await rm(folder, { recursive: true });
});
