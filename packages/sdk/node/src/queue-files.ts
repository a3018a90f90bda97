import { randomBytes } from 'node:crypto';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  unlink,
  utimes,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { Item } from './item.ts';

export interface QueueFile {
  /** The items that ended processes left. */
  found: readonly Item[];
  add(item: Item): Promise<void>;
  /** Removes items. `left` returns the items that stay. */
  remove(items: readonly Item[], left: () => readonly Item[]): Promise<void>;
  close(isEmpty: boolean): Promise<void>;
}

interface FolderOptions {
  folder: string;
  maxBytes: number;
  onError(error: unknown): void;
}

/**
 * The interval at which a live process touches its file, so that another machine does not take it for an
 * abandoned one.
 */
const TOUCH_MS = 60_000;
const LEFT_AFTER_MS = 600_000;
const MAX_EMPTY_BYTES = 65_536;
const NAME = /^(.+)~(\d+)~(\d+)~[0-9a-f]+\.jsonl$/;
/** The files of this thread. */
const OWN = new Set<string>();

/**
 * Opens a file of this client in a folder that others may share. It has a line for each item and for each removal.
 * When a process ends, the next one takes over its file.
 */
export async function openFolder({ folder, maxBytes, onError }: FolderOptions): Promise<QueueFile> {
  const found: Item[] = [];
  const name = `${hostname()}~${process.pid}~${threadId}~${randomBytes(8).toString('hex')}.jsonl`;
  const path = join(folder, name);
  let file: FileHandle | undefined;
  let size = 0;
  let lines: string[] = [];
  let appending: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  /** Runs work on the file after the previous work. */
  function exclusive(work: () => Promise<void>): Promise<void> {
    last = last.then(work).catch(fail);
    return last;
  }

  function fail(error: unknown): void {
    void file?.close().catch(() => undefined);
    file = undefined;
    onError(error);
  }

  /** Appends lines. Lines of the same moment share one write. */
  function append(more: readonly string[]): Promise<void> {
    lines.push(...more);
    appending ??= exclusive(async () => {
      appending = undefined;
      const text = lines.join('');
      lines = [];
      await file?.appendFile(text);
      size += Buffer.byteLength(text);
    });
    return appending;
  }

  /** Replaces the file with one that contains only these items. */
  async function rewrite(items: readonly Item[]): Promise<void> {
    const text = items.map(lineOf).join('');
    const replacing = await open(`${path}.next`, 'w', 0o600);
    await replacing.appendFile(text);
    await rename(`${path}.next`, path);
    await file?.close();
    file = replacing;
    size = Buffer.byteLength(text);
  }

  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    OWN.add(name);
    file = await open(path, 'ax', 0o600);
    let bytes = 0;
    for (const left of await leftIn(folder)) {
      if (bytes > maxBytes) break;
      const items = await takeOver(folder, left, name);
      for (const { body } of items) bytes += body.length;
      found.push(...items);
    }
    await append(found.map(lineOf));
    for (const taken of await readdir(folder)) {
      if (taken.endsWith(`${name}.taken`)) await unlink(join(folder, taken));
    }
  } catch (error) {
    fail(error);
  }

  const touching = setInterval(() => {
    const now = new Date();
    if (file !== undefined) utimes(path, now, now).catch(fail);
  }, TOUCH_MS);
  touching.unref();

  return {
    found,
    add: (item) => append([lineOf(item)]),
    async remove(items, left) {
      await append([`${JSON.stringify({ removed: items.map(({ id }) => id) })}\n`]);
      await exclusive(async () => {
        const remaining = left();
        const most = remaining.length === 0 ? MAX_EMPTY_BYTES : 2 * maxBytes;
        if (file !== undefined && size > most) await rewrite(remaining);
      });
    },
    async close(isEmpty) {
      clearInterval(touching);
      await exclusive(async () => {
        await file?.close();
        if (file !== undefined && isEmpty) await unlink(path);
        file = undefined;
      });
      OWN.delete(name);
    },
  };
}

const lineOf = (item: Item) => `${JSON.stringify(item)}\n`;

/** Returns the files of processes that have ended. */
async function leftIn(folder: string): Promise<string[]> {
  const left: string[] = [];
  for (const name of await readdir(folder)) {
    const base = name.replace(/^.*~~|\.taken$|\.next$/g, '');
    const [, host = '', pid = '', thread = ''] = NAME.exec(base) ?? [];
    if (host === '' || OWN.has(base)) continue;
    const isHere = host === hostname();
    const isOwn = isHere && Number(pid) === process.pid && Number(thread) === threadId;
    const touched = await stat(join(folder, name)).catch(() => undefined);
    if (touched === undefined) continue;
    const isOld = Math.abs(Date.now() - touched.mtimeMs) > LEFT_AFTER_MS;
    if (!isOwn && !(isHere && !isAlive(Number(pid))) && !isOld) continue;
    if (name.endsWith('.next')) await unlink(join(folder, name)).catch(() => undefined);
    else left.push(name);
  }
  return left;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Renames an abandoned file, so that no other process also takes it, and reads it. One process may leave
 * several.
 */
async function takeOver(folder: string, left: string, by: string): Promise<Item[]> {
  const taken = join(folder, `${randomBytes(4).toString('hex')}~~${by}.taken`);
  try {
    await rename(join(folder, left), taken);
  } catch {
    return [];
  }
  return itemsIn(await readFile(taken, 'utf8'));
}

function itemsIn(text: string): Item[] {
  const items = new Map<string, Item>();
  for (const line of text.split('\n')) {
    const parsed = parse(line);
    if (isItem(parsed)) items.set(parsed.id, parsed);
    else if (typeof parsed === 'object' && parsed !== null && 'removed' in parsed) {
      for (const id of Array.isArray(parsed.removed) ? parsed.removed : []) items.delete(id);
    }
  }
  return [...items.values()];
}

/** Parses a line. Returns undefined for a partial line of a process that was killed. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isItem(value: unknown): value is Item {
  if (typeof value !== 'object' || value === null) return false;
  if (!('kind' in value && 'id' in value && 'body' in value && 'at' in value)) return false;
  const isKind = value.kind === 'event' || value.kind === 'identify' || value.kind === 'group';
  return (
    isKind && [value.id, value.body].every((text) => typeof text === 'string') && typeof value.at === 'number'
  );
}
