import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';

const read = (path: string) => readFile(join(REPOSITORY, path), 'utf8');

const PERMISSIVE = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'ISC',
    'MIT',
    'MIT-0',
    'Unlicense',
  ],
  'MIT (http://mootools.net/license.txt)',
  '(MIT OR Apache-2.0)',
  '(MIT OR CC0-1.0)',
  '(AFL-2.1 OR BSD-3-Clause)',
]);
/** Licences with file-level copyleft. We use these packages unchanged. */
const EXCEPTIONS = new Set(['web-push MPL-2.0', 'resvg-wasm MPL-2.0', 'inter MIT AND OFL-1.1']);

const component = z.object({
  name: z.string(),
  version: z.string(),
  purl: z.string(),
  licenses: z
    .array(
      z.object({
        license: z.object({ id: z.string().optional(), name: z.string().optional() }).optional(),
        expression: z.string().optional(),
      }),
    )
    .default([]),
});
const bill = z.object({ bomFormat: z.literal('CycloneDX'), components: z.array(component) });

const pinned = z.object({ packageManager: z.string(), scripts: z.record(z.string(), z.string()) });

describe('the contents of the images', () => {
  let folder: string;
  let components: z.infer<typeof component>[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-sbom-'));
    const { scripts } = pinned.parse(JSON.parse(await read('package.json')));
    const file = join(folder, 'sbom.json');
    const command = (scripts['sbom'] ?? '').replace('--out sbom.cdx.json', `--out ${file}`);
    await promisify(execFile)('sh', ['-c', command.replace(/^pnpm/, 'npx --yes pnpm@12')], {
      cwd: REPOSITORY,
    });
    ({ components } = bill.parse(JSON.parse(await readFile(file, 'utf8'))));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('every package in the images is in a bill of materials, with its version', () => {
    expect(components.length).toBeGreaterThan(100);
    expect(components.map(({ purl }) => purl)).toContainEqual(expect.stringMatching(/^pkg:npm\/hono@\d/));
    expect(components.map(({ name }) => name)).not.toContain('vitest');
  });

  it('every package in the images has a licence that permits shipping it', () => {
    const refused = components.flatMap(({ name, version, licenses }) => {
      const named = licenses.map(
        ({ license, expression }) => expression ?? license?.id ?? license?.name ?? '',
      );
      const isFine = named.length > 0 && named.every((one) => PERMISSIVE.has(one));
      return isFine || EXCEPTIONS.has(`${name} ${named}`) ? [] : [`${name} ${version}: ${named}`];
    });
    expect(refused).toEqual([]);
  });
});

it('pnpm is pinned by version and hash, identically on machines and in images', async () => {
  const { packageManager } = pinned.parse(JSON.parse(await read('package.json')));
  const [, version] = /^pnpm@(\d+\.\d+\.\d+)\+sha512\.[0-9a-f]{128}$/.exec(packageManager) ?? [];
  expect(version).toBeDefined();
  expect(await read('deploy/docker/Dockerfile')).toContain(`npm install --global pnpm@${version}\n`);
});
