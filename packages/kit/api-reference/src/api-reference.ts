import { favicon, logo, tokens } from '@switchboard/design';
import { type Env, Hono } from 'hono';
import { html, raw } from 'hono/html';
import { scalarScript } from './scalar.ts';

export interface ApiReferenceOptions {
  /** The other origins that the page may send requests to: the servers of the document. */
  origins?: readonly string[];
  /** The documents served next to the page, by file name. Each is created on first use. */
  documents?: Readonly<Record<string, () => object>>;
  /** The links above the reference, by text. The first is the home page. Without links there is no header. */
  links?: Readonly<Record<string, string>>;
}

/** Turns off every request to Scalar's own hosts. The content security policy enforces it. */
const configuration = {
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  defaultOpenAllTags: true,
  expandAllResponses: true,
  documentDownloadType: 'json',
  metaData: { title: 'Switchboard API' },
};

/**
 * Serves `/docs`, where Scalar renders `/openapi.json` of the same host, and serves the documents. The script comes
 * from the same host, and no other host is contacted.
 */
export function mountApiReference<E extends Env>(
  hono: Hono<E>,
  { origins = [], documents = {}, links = {} }: ApiReferenceOptions = {},
): void {
  for (const [name, document] of Object.entries(documents)) {
    let text: string | undefined;
    hono.get(`/${name}`, (c) => {
      text ??= JSON.stringify(document());
      return c.body(text, 200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Access-Control-Allow-Origin': '*',
      });
    });
  }
  hono.route('/docs', createPages(policyFor(origins), links));
}

function createPages(policy: string, links: Links): Hono {
  const pages = new Hono();
  pages.get('/', async (c) => {
    const { name } = await scalarScript();
    c.header('Content-Security-Policy', policy);
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('Referrer-Policy', 'no-referrer');
    c.header('Cache-Control', 'no-cache');
    return c.html(page(name, links));
  });
  pages.get('/:file', async (c, next) => {
    const { name, bytes, gzipped } = await scalarScript();
    if (c.req.param('file') !== name) return next();
    const takesGzip = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
    return c.body(takesGzip ? gzipped : bytes, 200, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      ...(takesGzip ? { 'Content-Encoding': 'gzip' } : {}),
    });
  });
  return pages;
}

type Links = Readonly<Record<string, string>>;

const HEADER = 48;
const styles = `${tokens}
:root{--scalar-custom-header-height:${HEADER}px}
.top{box-sizing:border-box;position:sticky;top:0;z-index:10;display:flex;gap:16px;align-items:center;height:${HEADER}px;padding:0 20px;border-bottom:1px solid var(--line);background:var(--raised);color:var(--text);font:14px/1.5 var(--sans)}
.top a{display:flex;gap:8px;align-items:center;color:inherit;text-decoration:none}
.top a:first-child{margin-right:auto;font-weight:600;font-size:16px}
.top a:hover{text-decoration:underline}`;

function headerOf(links: Links) {
  const [home, ...others] = Object.entries(links);
  if (home === undefined) return '';
  return html`<header class="top"><a href="${home[1]}">${raw(logo(24))} ${home[0]}</a>${others.map(
    ([text, href]) => html`<a href="${href}">${text}</a>`,
  )}</header>`;
}

// URLs are relative to /docs, so that the page works behind a path prefix.
const page = (script: string, links: Links) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchboard API</title>
<link rel="icon" href="${favicon}">
${raw(`<style>${styles}</style>`)}
</head>
<body>
${headerOf(links)}
<noscript>This page needs JavaScript. The whole document is <a href="openapi.json">openapi.json</a>.</noscript>
<div id="api-reference" data-url="openapi.json" data-configuration="${JSON.stringify(configuration)}"></div>
<script src="docs/${script}"></script>
</body>
</html>
`;

function policyFor(origins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'", // Scalar writes its style sheet into the page.
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    ["connect-src 'self'", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
