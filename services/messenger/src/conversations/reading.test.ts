import { expect, it } from 'vitest';
import { createReadTurns } from './reading.ts';

it('reads two conversations at a time, the projects in rotation', async () => {
  const order: string[] = [];
  let reading = 0;
  const read = createReadTurns({
    async turns(projectId) {
      expect(++reading).toBeLessThanOrEqual(2);
      order.push(projectId);
      await new Promise(setImmediate);
      reading--;
      return [];
    },
  });
  const projects = ['many', 'many', 'many', 'many', 'many', 'one'];
  await Promise.all(projects.map((project) => read(project, 'cnv', {})));
  expect(order).toEqual(['many', 'many', 'many', 'one', 'many', 'many']);
});
