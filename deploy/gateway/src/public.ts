import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { mountApiReference } from '@switchboard/api-reference';
import { asyncApiDocument, type Host, openApiDocument } from '@switchboard/contracts';
import { Hono } from 'hono';
import { setting } from './caddy-syntax.ts';

/** Returns the page /docs, its script and its content security policy. */
async function apiReference(origins: string[]) {
  const app = new Hono();
  mountApiReference(app, { origins });
  const page = await app.request('/docs');
  const html = await page.text();
  const script = /src="docs\/([^"]+)"/.exec(html)?.[1];
  if (script === undefined) throw new Error('the page /docs has no script');
  const bytes = Buffer.from(await (await app.request(`/docs/${script}`)).arrayBuffer());
  return { html, policy: page.headers.get('content-security-policy') ?? '', script, bytes };
}

/** Returns the content security policy of /docs. DOCS_ORIGINS lists the hosts that the page may call. */
export async function docsPolicy(): Promise<string> {
  return (await apiReference([setting('DOCS_ORIGINS', "'self'")])).policy;
}

/** Writes the files that the gateway serves itself: the OpenAPI and AsyncAPI documents and the page /docs. */
export async function writePublicFiles(folder: string, servers: Partial<Record<Host, string>>) {
  const { html, script, bytes } = await apiReference([]);
  const documents = {
    openapi: openApiDocument({ servers }),
    asyncapi: asyncApiDocument({ api: servers.api }),
  };
  await mkdir(join(folder, 'docs'), { recursive: true });
  await Promise.all([
    writeFile(join(folder, 'docs.html'), html),
    ...Object.entries(documents).map(([name, document]) =>
      writeWithGzip(join(folder, `${name}.json`), Buffer.from(JSON.stringify(document))),
    ),
    writeWithGzip(join(folder, 'docs', script), bytes),
  ]);
}

async function writeWithGzip(path: string, bytes: Buffer): Promise<void> {
  await writeFile(path, bytes);
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
