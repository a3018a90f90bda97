import { type Context, type Env, Hono } from 'hono';
import { accepts } from 'hono/accepts';
import { etag, RETAINED_304_HEADERS } from 'hono/etag';
import type { BuiltSdks } from './built.ts';
import { type Encoding, type SdkFile, sdkFiles } from './files.ts';

export interface SdkOptions {
  /** Public URL of the API, which serves the SDKs under `/sdk/`. */
  baseUrl: string;
  /** Called on the first request. */
  read(): Promise<BuiltSdks>;
}

const ENCODINGS: readonly Encoding[] = ['br', 'gzip', 'identity'];
/** Pages of any site load these files. */
const ANY_SITE = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' };
const NAME_WITH_HASH = /^(.+)\.[0-9a-f]{16}\.js$/;

/**
 * Serves the SDKs under `/sdk/`: scripts for pages, `<package>.tgz` for npm, and `index.json` with their URLs. Names
 * with a hash are cached for a year, and others for five minutes.
 */
export function mountSdks<E extends Env>(hono: Hono<E>, { baseUrl, read }: SdkOptions): void {
  let files: Promise<ReadonlyMap<string, SdkFile>> | undefined;
  const known = () => {
    files ??= read()
      .then((built) => sdkFiles(built, baseUrl))
      .catch((error: unknown) => {
        files = undefined;
        throw error;
      });
    return files;
  };
  const sdks = new Hono();
  sdks.use(etag({ retainedHeaders: [...RETAINED_304_HEADERS, ...Object.keys(ANY_SITE)] }));
  sdks.get('/:name', async (c, next) => {
    const name = c.req.param('name');
    const found = await known();
    const file = found.get(name);
    if (file !== undefined) return answer(c, file);
    const [, script] = NAME_WITH_HASH.exec(name) ?? [];
    const current = `${script}.js`;
    if (script === undefined || !found.has(current)) return next();
    // A page that was loaded before an upgrade is starting replay or messenger.
    return c.body(null, 302, { ...ANY_SITE, Location: current, 'Cache-Control': 'no-cache' });
  });
  hono.route('/sdk', sdks);
}

function answer(c: Context, { type, isImmutable, etag: tag, bodies }: SdkFile): Response {
  const encoding = accepts(c, {
    header: 'Accept-Encoding',
    supports: ENCODINGS.filter((one) => bodies[one] !== undefined),
    default: 'identity',
    match: (accepted, { supports }) =>
      supports.find((one) => accepted.some(({ type: asked, q }) => asked === one && q > 0)) ?? 'identity',
  });
  const chosen = ENCODINGS.find((one) => one === encoding) ?? 'identity';
  const isEncoded = chosen !== 'identity';
  return c.body(bodies[chosen] ?? bodies.identity, 200, {
    ...ANY_SITE,
    'Content-Type': type,
    'Cache-Control': isImmutable ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
    'X-Content-Type-Options': 'nosniff',
    ETag: `"${tag}${isEncoded ? `-${chosen}` : ''}"`,
    Vary: 'Accept-Encoding',
    ...(isEncoded ? { 'Content-Encoding': chosen } : {}),
  });
}
