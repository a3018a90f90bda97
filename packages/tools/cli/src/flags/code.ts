import { lstat, opendir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { UsageError } from '../terminal/terminal.ts';

/** A line that names a flag. */
export interface Use {
  key: string;
  /** The path from the searched folder. */
  file: string;
  /** Starts at 1. */
  line: number;
  text: string;
}

const SKIPPED = new Set(['node_modules', '.git']);
const MAX_FILES = 100_000;
const MAX_FILE_BYTES = 2_000_000;

/**
 * Finds the lines of a folder that contain one of the keys in single, double or backward quotes, sorted by file.
 * Ignores node_modules, .git, links, binary files and files of more than 2 MB. Throws UsageError for a folder that
 * cannot be read, or that has more than 100,000 files.
 */
export async function findUses(folder: string, keys: readonly string[]): Promise<Use[]> {
  const wanted = new Set(keys);
  const uses: Use[] = [];
  for (const path of (await filesIn(folder)).sort()) {
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes === undefined || bytes.includes(0)) continue;
    for (const [index, text] of bytes.toString().split('\n').entries()) {
      const found = [...wanted].filter((key) => names(text, key));
      for (const key of found)
        uses.push({ key, file: relative(folder, path), line: index + 1, text: text.trim() });
    }
  }
  return uses;
}

const names = (text: string, key: string) =>
  text.includes(key) && ["'", '"', '`'].some((quote) => text.includes(`${quote}${key}${quote}`));

async function filesIn(folder: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [folder];
  for (const next of folders) {
    const entries = await opendir(next).catch((error: NodeJS.ErrnoException) => {
      if (next !== folder) return [];
      throw new UsageError(`--code: ${folder} cannot be read (${error.code})`);
    });
    for await (const entry of entries) {
      const path = join(next, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      if (!entry.isFile() || (await lstat(path)).size > MAX_FILE_BYTES) continue;
      files.push(path);
      if (files.length > MAX_FILES)
        throw new UsageError(`--code: ${folder} has more than ${MAX_FILES} files; name a folder of sources`);
    }
  }
  return files;
}
