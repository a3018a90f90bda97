import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { OPERATIONS_FILE, operationsSource } from './operations.ts';

test('describes the operations of the contracts; `npx pnpm@12 run docs` updates src/operations.ts', async () => {
  expect(await readFile(OPERATIONS_FILE, 'utf8')).toBe(operationsSource());
});
