import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { eventRow, groupRecord, identifyRecord, replayRecord } from './records.ts';

it.each([
  ['event-row', eventRow],
  ['identify-record', identifyRecord],
  ['group-record', groupRecord],
  ['replay-record', replayRecord],
])('docs/schemas/%s.json matches the schema of the record', async (name, schema) => {
  const file = new URL(`../../../../docs/schemas/${name}.json`, import.meta.url);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(z.toJSONSchema(schema, { io: 'input' }));
});

it('decodes a record with an unknown property', () => {
  const record = {
    project_id: 'p1',
    distinct_id: 'ada',
    traits: { plan: null },
    timestamp: '2026-03-01T09:30:00.000Z',
    received_at: '2026-03-01T09:30:00.100Z',
  };
  expect(identifyRecord.parse({ ...record, later: 1 })).toEqual(record);
});
