import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { pipeline as run } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { openPromise } from 'yauzl';
import { UsageError } from '../../terminal/terminal.ts';
import { openParquet } from './parquet.ts';

/** A file to import, or an entry of a zip file. */
export interface Input {
  /** For messages, such as `export.zip/2026-03-01.json.gz`. */
  place: string;
  /** The name of the file. */
  name: string;
  /** The SHA-256 of the file, and the name of the entry. */
  content: string;
  /** Decompressed. The rows of a Parquet file are lines of JSON. */
  open(): Promise<Readable>;
}

const MAX_FILES = 100_000;
const GZIP = [0x1f, 0x8b];
const ZIP = [0x50, 0x4b];
const PARQUET = [...Buffer.from('PAR1')];

/**
 * Yields the files of paths, which are files and folders, in order of their names. A file is read once before to
 * compute its checksum. Throws UsageError.
 */
export async function* inputsOf(paths: readonly string[]): AsyncGenerator<Input> {
  for (const path of await filesOf(paths)) yield* inputsIn(path);
}

async function filesOf(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const found = await readable(path, () => stat(path));
    if (!found.isDirectory()) files.push(path);
    else {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      for (const entry of entries)
        if (entry.isFile() && !entry.name.startsWith('.')) files.push(join(entry.parentPath, entry.name));
    }
  }
  if (files.length === 0) throw new UsageError(`${paths.join(', ')}: no files`);
  if (files.length > MAX_FILES) throw new UsageError(`more than ${MAX_FILES} files; import folder by folder`);
  return [...new Set(files)].sort();
}

async function* inputsIn(path: string): AsyncGenerator<Input> {
  const sha256 = createHash('sha256');
  await readable(path, () => run(createReadStream(path), sha256));
  const content = sha256.digest('hex');
  const name = basename(path);
  const whole = { place: path, name, content };
  if (await beginsWith(path, PARQUET)) {
    yield { ...whole, open: async () => openParquet(path) };
    return;
  }
  if (!(await beginsWith(path, ZIP))) {
    yield { ...whole, open: async () => unzipped(createReadStream(path)) };
    return;
  }
  const zip = await readable(path, () => openPromise(path, { autoClose: false }));
  const entries = await readable(path, async () => {
    const found: { fileName: string; open(): Promise<Readable> }[] = [];
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/') || /(^|\/)[._]/.test(entry.fileName)) continue;
      found.push({ fileName: entry.fileName, open: () => zip.openReadStreamPromise(entry) });
      if (found.length > MAX_FILES) throw new UsageError(`${path}: more than ${MAX_FILES} files`);
    }
    return found;
  });
  try {
    for (const { fileName, open } of entries.toSorted((one, other) =>
      one.fileName < other.fileName ? -1 : 1,
    ))
      yield {
        place: `${path}/${fileName}`,
        name: basename(fileName),
        content: `${content} ${fileName}`,
        open: async () => unzipped(await open()),
      };
  } finally {
    zip.close();
  }
}

/** Decompresses a stream if it begins like gzip. */
async function unzipped(source: Readable): Promise<Readable> {
  const iterator = source[Symbol.asyncIterator]();
  const { value: first, done } = await iterator.next();
  const target =
    done || !GZIP.every((byte, index) => first[index] === byte) ? new PassThrough() : createGunzip();
  async function* all() {
    if (!done) yield first;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  // Readers of the target see its errors.
  return pipeline(all(), target, () => undefined) as unknown as Readable;
}

async function beginsWith(path: string, bytes: readonly number[]): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(bytes.length), 0, bytes.length, 0);
    return bytes.every((byte, index) => buffer[index] === byte);
  } finally {
    await file.close();
  }
}

async function readable<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Error ? ('code' in error ? error.code : error.message) : error;
    throw new UsageError(`${path} cannot be read (${reason})`);
  }
}
