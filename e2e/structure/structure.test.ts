import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';
import {
  constantNames,
  folderCycles,
  folderSize,
  importCycles,
  plainEnglish,
  systemClock,
  testHelpers,
} from './everywhere.ts';
import { kitOrder } from './kit.ts';
import {
  routeFunctions,
  schemaFolder,
  sqlInStores,
  storeFactories,
  storesAreOwn,
  topFiles,
  wiring,
} from './service-template.ts';
import { parseTree } from './source.ts';

const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'],
  {
    cwd: REPOSITORY,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((path) => path.includes('/') && existsSync(join(REPOSITORY, path)));
const tree = parseTree(
  Object.fromEntries(files.map((path) => [path, readFileSync(join(REPOSITORY, path), 'utf8')])),
);

test.each([
  topFiles,
  wiring,
  schemaFolder,
  routeFunctions,
  storeFactories,
  sqlInStores,
  storesAreOwn,
  testHelpers,
  kitOrder,
  importCycles,
  folderCycles,
  folderSize,
  constantNames,
  systemClock,
  plainEnglish,
])('$name', ({ check }) => {
  expect(check(tree).map(({ file, problem }) => `${file}: ${problem}`)).toEqual([]);
});
