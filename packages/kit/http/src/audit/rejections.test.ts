import type { AuditEntry } from '@switchboard/contracts';
import { expect, it } from 'vitest';
import { createRejections } from './rejections.ts';

const rejection = (id: string, actor: string | null, more: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  at: `2026-03-01T00:00:${id}.000Z`,
  actor: { kind: actor === null ? 'nobody' : 'person', id: actor, tokenId: null },
  action: 'putFlag',
  object: 'flag:a',
  outcome: 'refused',
  status: 403,
  companyId: 'acme',
  projectId: null,
  reason: null,
  address: '198.51.100.7',
  requestId: id,
  region: 'eu',
  service: 'flags',
  count: 1,
  until: null,
  ...more,
});

function recording(bounds: { maxAlike: number; maxWritten: number; maxKinds: number }) {
  const written: AuditEntry[] = [];
  const state = { counted: 0, isDown: false };
  const rejections = createRejections({
    ...bounds,
    write: async (entry) => {
      if (state.isDown) throw new Error('down');
      written.push(entry);
    },
    onCounted: () => {
      state.counted += 1;
    },
  });
  return { rejections, written, state };
}

it('writes the first rejection of a kind, and one entry that counts the others', async () => {
  const { rejections, written, state } = recording({ maxAlike: 2, maxWritten: 10, maxKinds: 10 });
  for (const id of ['10', '11', '12', '13', '14']) await rejections.record(rejection(id, 'mallory'));
  await rejections.record(rejection('15', 'eve'));
  expect([written.map(({ id }) => id), state.counted]).toEqual([['10', '11', '15'], 3]);
  await rejections.flush();
  await rejections.flush();
  expect(written.slice(3)).toEqual([
    { ...rejection('12', 'mallory'), count: 3, until: '2026-03-01T00:00:14.000Z' },
  ]);
});

it('counts rejections of too many kinds as one, without names', async () => {
  const { rejections, written } = recording({ maxAlike: 5, maxWritten: 3, maxKinds: 2 });
  for (let n = 10; n < 60; n++) await rejections.record(rejection(String(n), `actor-${n}`));
  expect(written).toHaveLength(2);
  await rejections.flush();
  expect(written.slice(2)).toMatchObject([
    { count: 48, action: 'several', actor: { id: null }, companyId: null, address: 'several' },
  ]);
});

it('keeps counting rejections while nothing can be written', async () => {
  const { rejections, written, state } = recording({ maxAlike: 5, maxWritten: 10, maxKinds: 10 });
  state.isDown = true;
  for (const id of ['10', '11', '12']) await rejections.record(rejection(id, null));
  await rejections.flush();
  state.isDown = false;
  await rejections.flush();
  expect(written).toMatchObject([{ id: '10', count: 3, until: '2026-03-01T00:00:12.000Z' }]);
});
