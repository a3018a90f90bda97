import { expect, it } from 'vitest';
import { createLoad } from './load.ts';

const textOf = (projectId: string) => ({ changedAt: '2026-01-01T00:00:00.000Z', json: projectId });

it('loads the other projects of a query when one of them cannot be read', async () => {
  const asked: (readonly string[])[] = [];
  const load = createLoad(async (projectIds) => {
    asked.push(projectIds);
    if (projectIds.includes('broken')) throw new Error('cannot be read');
    return projectIds.map(textOf);
  });
  const loaded = await Promise.allSettled(['one', 'broken', 'two'].map(load));
  expect(loaded).toEqual([
    { status: 'fulfilled', value: textOf('one') },
    { status: 'rejected', reason: new Error('cannot be read') },
    { status: 'fulfilled', value: textOf('two') },
  ]);
  expect(asked).toEqual([['one', 'broken', 'two'], ['one'], ['broken'], ['two']]);
});

it('asks a database that is unavailable once for all projects', async () => {
  let queries = 0;
  const load = createLoad(async () => {
    queries++;
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  });
  const loaded = await Promise.allSettled(['one', 'two'].map(load));
  expect(loaded.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(queries).toBe(1);
});
