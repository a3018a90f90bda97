import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { eventually } from './eventually.ts';

/**
 * Returns a folder that all files of a test run share. The first file to ask fills it. Other files wait for it, and
 * make it themselves if it failed.
 */
export async function oncePerRun(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('runFolder'), name);
  const unfinished = `${folder}-unfinished`;
  return await eventually(
    async () => {
      if (existsSync(folder)) return folder;
      // Fails while another file fills it.
      await mkdir(unfinished);
      try {
        await fill(unfinished);
        await rename(unfinished, folder);
      } finally {
        await rm(unfinished, { recursive: true, force: true });
      }
      return folder;
    },
    { withinMs: 350_000 },
  );
}
