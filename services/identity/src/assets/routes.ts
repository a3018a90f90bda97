import { createHash } from 'node:crypto';
import type { ServiceApp } from '@switchboard/http';
import type { Browser } from '../browser/browser.ts';
import { MOUNT } from '../pages/document.ts';
import { inRequestedLanguage } from '../pages/texts/languages.ts';
import { SCRIPT } from './script.ts';
import { STYLES } from './styles.ts';

const ASSETS = [
  { name: 'style.css', type: 'text/css; charset=utf-8', body: STYLES },
  { name: 'script.js', type: 'text/javascript; charset=utf-8', body: SCRIPT },
];

/** The first parts of the paths of pages. The provider guards its own pages. */
const GUARDED = ['sign-in', 'set-up', 'account', 'reset', 'invitation', 'upstream'];

/** Serves the style sheet and the script of the pages, and guards the pages that are added later. */
export function assetsRoutes(app: ServiceApp, { guard }: Pick<Browser, 'guard'>): void {
  app.hono.use(`${MOUNT}/*`, inRequestedLanguage);
  for (const part of GUARDED) app.hono.use(`${MOUNT}/${part}/*`, ...guard);
  for (const { name, type, body } of ASSETS) {
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
    app.hono.get(`${MOUNT}/assets/${name}`, (c) => {
      const headers = { 'Content-Type': type, ETag: etag, 'Cache-Control': 'public, max-age=300' };
      return c.req.header('if-none-match') === etag ? c.body(null, 304, headers) : c.body(body, 200, headers);
    });
  }
}
