import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';

const REMARK = join(import.meta.dirname, '../node_modules/.bin/remark');
/** The plugin that checks links. It skips web links. */
const PLUGIN = `${join(import.meta.dirname, '../node_modules/remark-validate-links/index.js')}=repository:false`;

/** Returns Remark's report of links to missing files or headings. */
async function brokenLinks(folder: string, files: string[]): Promise<string> {
  const args = ['--quiet', '--frail', '--no-stdout', '--no-color', '--no-config', '--no-ignore'];
  return await new Promise((resolve) => {
    execFile(REMARK, [...args, '--use', PLUGIN, ...files], { cwd: folder }, (error, _stdout, stderr) => {
      resolve(error === null ? '' : stderr || error.message);
    });
  });
}

test('every relative link points to an existing file and heading', async () => {
  const listed = execFileSync('git', ['ls-files', '*.md'], { cwd: REPOSITORY, encoding: 'utf8' });
  const files = listed.split('\n').filter((path) => path !== '');
  expect(files.length).toBeGreaterThan(20);
  expect(await brokenLinks(REPOSITORY, files)).toBe('');
});

test('links to missing files and headings are reported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-links-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'other.md'), '# Other\n## Second\n');
  const good = '# Title\n[a](#title) [b](other.md) [c](other.md#second) [d](https://nowhere.example)\n';
  await writeFile(join(folder, 'page.md'), good);
  expect(await brokenLinks(folder, ['page.md', 'other.md'])).toBe('');
  await writeFile(join(folder, 'page.md'), `${good}[e](gone.md) [f](#gone) [g](other.md#gone)\n`);
  const found = await brokenLinks(folder, ['page.md', 'other.md']);
  expect(found).toContain('Cannot find file `gone.md`');
  expect(found).toContain('Cannot find heading for `#gone`');
  expect(found).toContain('Cannot find heading for `#gone` in `other.md`');
});
