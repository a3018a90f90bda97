import { expect, it } from 'vitest';
import type { TurnRow } from '../rows.ts';
import { createReadTurns } from './reading.ts';

const unnamed = async (_: string, turns: TurnRow[]) => turns;

it('reads two conversations at a time, with the projects in rotation', async () => {
  const order: string[] = [];
  let reading = 0;
  const read = createReadTurns(
    {
      async read(projectId) {
        expect(++reading).toBeLessThanOrEqual(2);
        order.push(projectId);
        await new Promise(setImmediate);
        reading--;
        return [];
      },
    },
    unnamed,
  );
  const projects = ['many', 'many', 'many', 'many', 'many', 'one'];
  await Promise.all(
    projects.map((project) => read(project, { id: 'cnv', turnCount: 1, turnBytes: 10 }, undefined)),
  );
  expect(order).toEqual(['many', 'many', 'many', 'one', 'many', 'many']);
});

it('reads a large conversation in pages, and another project between them', async () => {
  const order: string[] = [];
  const read = createReadTurns(
    {
      async read(projectId, _, { after, upTo }) {
        order.push(`${projectId} ${after} to ${upTo}`);
        await new Promise(setImmediate);
        return [];
      },
    },
    unnamed,
  );
  const large = { id: 'cnv', turnCount: 100, turnBytes: 1_000_000 };
  await Promise.all([
    read('large', large, undefined),
    read('large', large, 50),
    read('small', { id: 'cnv', turnCount: 3, turnBytes: 100 }, 1),
  ]);
  expect(order).toEqual([
    'large 0 to 20',
    'large 50 to 70',
    'small 1 to 3',
    'large 20 to 40',
    'large 70 to 90',
    'large 40 to 60',
    'large 90 to 100',
    'large 60 to 80',
    'large 80 to 100',
  ]);
});
