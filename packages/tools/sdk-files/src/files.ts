import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { createTar } from 'nanotar';
import { type BuiltSdks, shortName } from './built.ts';

export type Encoding = 'br' | 'gzip' | 'identity';
type Bytes = Uint8Array<ArrayBuffer>;

/** A file under `/sdk/`. */
export interface SdkFile {
  type: string;
  /** Whether the content never changes, because the name contains a hash. */
  isImmutable: boolean;
  /** The ETag without quotes. */
  etag: string;
  bodies: Partial<Record<Encoding, Bytes>> & { identity: Bytes };
}

/** The content of `/sdk/index.json`. */
export interface SdkIndex {
  /** The URL that never changes, and its hash for `integrity`, by short name. */
  scripts: Record<string, { url: string; integrity: string }>;
  /** The URL of each tarball, by package name. */
  packages: Record<string, string>;
}

/** The URL in the documentation, which is replaced with the deployment's own. */
const EXAMPLE = 'https://api.example.com';
/** An arbitrary fixed time, so that the same sources give the same bytes. */
const CREATED_AT = Date.UTC(2026, 0, 1);

/** nanotar omits it if the files fill its blocks. */
const END_OF_TAR = new Uint8Array(1024);

/** Returns every file under `/sdk/` of a deployment with this API URL, by name. */
export async function sdkFiles(built: BuiltSdks, baseUrl: string): Promise<ReadonlyMap<string, SdkFile>> {
  const base = baseUrl.replace(/\/+$/, '');
  const files = new Map<string, SdkFile>();
  for (const [name, code] of Object.entries(built.scripts))
    files.set(name, await compressed(code, 'text/javascript; charset=utf-8', true));
  for (const [name, fileName] of Object.entries(built.names)) {
    const file = files.get(fileName);
    if (file !== undefined) files.set(name, { ...file, isImmutable: false });
  }
  for (const [name, content] of Object.entries(built.packages)) {
    files.set(`${shortName(name)}.tgz`, tarball(content, base));
  }
  const index = JSON.stringify(sdkIndex(built, base));
  files.set('index.json', await compressed(index, 'application/json; charset=utf-8', false));
  return files;
}

/** Returns the URLs of the scripts and tarballs of a deployment. */
export function sdkIndex(built: BuiltSdks, baseUrl: string): SdkIndex {
  const base = baseUrl.replace(/\/+$/, '');
  return {
    scripts: Object.fromEntries(
      Object.entries(built.names).map(([name, fileName]) => [
        name,
        { url: `${base}/sdk/${fileName}`, integrity: integrityOf(built.scripts[fileName] ?? '') },
      ]),
    ),
    packages: Object.fromEntries(Object.keys(built.packages).map((name) => [name, addressOf(name, base)])),
  };
}

const addressOf = (name: string, base: string) => `${base}/sdk/${shortName(name)}.tgz`;
const integrityOf = (code: string) => `sha384-${createHash('sha384').update(code).digest('base64')}`;
const etagOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url').slice(0, 27);

async function compressed(text: string, type: string, isImmutable: boolean): Promise<SdkFile> {
  const bytes = new Uint8Array(Buffer.from(text));
  const [br, gzip] = await Promise.all([
    promisify(zlib.brotliCompress)(bytes),
    promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gzip)(bytes, { level: 9 }),
  ]);
  const bodies = { br: new Uint8Array(br), gzip: new Uint8Array(gzip), identity: bytes };
  return { type, isImmutable, etag: etagOf(bytes), bodies };
}

/** Creates an npm package that depends on the other SDKs as tarballs of the same host. */
function tarball(content: Record<string, string>, base: string): SdkFile {
  const files = Object.entries(content).map(([path, text]) => ({
    name: `package/${path}`,
    data: path === 'package.json' ? withAddresses(text, base) : text.replaceAll(EXAMPLE, base),
  }));
  const tar = createTar(files, { attrs: { mtime: CREATED_AT, mode: '644', uid: 0, gid: 0 } });
  // Stored, not compressed, because lockfiles contain the hash, and compressed bytes differ between processors.
  const bytes = new Uint8Array(zlib.gzipSync(Buffer.concat([tar, END_OF_TAR]), { level: 0 }));
  return { type: 'application/gzip', isImmutable: false, etag: etagOf(bytes), bodies: { identity: bytes } };
}

function withAddresses(text: string, base: string): string {
  const manifest: { dependencies: Record<string, string> } = JSON.parse(text);
  const dependencies = Object.entries(manifest.dependencies).map(([name, version]) => [
    name,
    version.startsWith('workspace:') ? addressOf(name, base) : version,
  ]);
  return `${JSON.stringify({ ...manifest, dependencies: Object.fromEntries(dependencies) }, null, 2)}\n`;
}
