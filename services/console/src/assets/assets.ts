import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the built application. */
export interface Asset {
  type: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Absent for formats that are compressed already. */
  gzipped?: Uint8Array<ArrayBuffer>;
  etag: string;
}

/** The built application: its index, and files with a hash of their content in their names. */
export interface Assets {
  index: Asset;
  files: ReadonlyMap<string, Asset>;
}

/** The beginning of the name of the script that plays recordings. */
export const PLAYER = 'recorded-page-';
/** The beginning of the name of the script that shows the widget of the messenger. */
export const PREVIEW = 'widget-preview-';
/** The beginning of the name of the service worker that shows pushes. */
export const PUSH_WORKER = 'push-worker-';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const compress = promisify(gzip);

/** Reads the application that `vite build` wrote into a folder. */
export async function readAssets(folder: string): Promise<Assets> {
  const names = await readdir(join(folder, 'assets'));
  const files = await Promise.all(
    names.map(async (name): Promise<[string, Asset]> => [name, await read(join(folder, 'assets', name))]),
  );
  return { index: await read(join(folder, 'index.html')), files: new Map(files) };
}

async function read(path: string): Promise<Asset> {
  const bytes = Uint8Array.from(await readFile(path));
  const extension = extname(path);
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    bytes,
    ...(extension === '.woff2' ? {} : { gzipped: Uint8Array.from(await compress(bytes, { level: 9 })) }),
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
  };
}
