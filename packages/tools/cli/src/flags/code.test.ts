import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findUses } from './code.ts';

async function folderOf(files: Record<string, string | Buffer>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'flags-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

test('finds each line that names a flag in quotes, and no other', async () => {
  const folder = await folderOf({
    'src/shop.ts': 'const a = 1;\nif (flags.get(\'beta\', false)) show();\nuseFlag("beta");\n',
    'src/other.ts': "flags.get('beta-2', 1); // beta\nconst name = 'my beta';\nconst c = `beta`;\n",
    'a.txt': 'get("a.*b")\nget("aXXb")\n',
  });
  expect(await findUses(folder, ['beta', 'a.*b', 'unused'])).toEqual([
    { key: 'a.*b', file: 'a.txt', line: 1, text: 'get("a.*b")' },
    { key: 'beta', file: 'src/other.ts', line: 3, text: 'const c = `beta`;' },
    { key: 'beta', file: 'src/shop.ts', line: 2, text: "if (flags.get('beta', false)) show();" },
    { key: 'beta', file: 'src/shop.ts', line: 3, text: 'useFlag("beta");' },
  ]);
});

test('ignores node_modules, .git, links, binary files and large files', async () => {
  const use = "flags.get('beta', 1)";
  const folder = await folderOf({
    'node_modules/a/index.js': use,
    'packages/b/node_modules/c/index.js': use,
    '.git/HEAD': use,
    'image.png': Buffer.from(`\0${use}`),
    'large.js': `${use}\n${'x'.repeat(2_000_000)}`,
    'one.js': use,
  });
  await symlink(join(folder, 'one.js'), join(folder, 'link.js'));
  await symlink(folder, join(folder, 'loop'));
  expect((await findUses(folder, ['beta'])).map(({ file }) => file)).toEqual(['one.js']);
});

test('names a folder that cannot be read', async () => {
  await expect(findUses('/none/such', ['beta'])).rejects.toThrow(
    '--code: /none/such cannot be read (ENOENT)',
  );
});
