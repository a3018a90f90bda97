import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { managementTypes, managementTypesFile } from './management-types.ts';

test('@switchboard/management has the operations of the contracts; `npx pnpm@12 run docs` updates them', async () => {
  expect(await readFile(managementTypesFile, 'utf8')).toBe(managementTypes());
});
