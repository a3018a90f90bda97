import { createHash } from 'node:crypto';
import { favicon, logo, tokens } from '@switchboard/design';
import type { Context } from 'hono';
import { html, raw } from 'hono/html';

interface SessionError {
  code: string;
  message: string;
}

const TITLES = { 429: 'Too many sign-ins', 503: 'Sign-in is not available' };

/** Answers a call of the page with JSON, and a person who signs in with a page that says what to do. */
export function respondWithError(
  c: Context,
  status: 429 | 503,
  { code, message }: SessionError,
  headers: Record<string, string>,
): Response | Promise<Response> {
  if (c.req.method !== 'GET') return c.json({ error: { code, message } }, status, headers);
  const seconds = Number(headers['Retry-After'] ?? 0);
  const wait =
    status === 429
      ? `There were too many sign-ins from your network. Try again in ${minutes(seconds)}.`
      : message;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${TITLES[status]}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" type="image/svg+xml" href="${favicon}">
<style>${raw(styles)}</style></head>
<body><main>${raw(logo(32))}<h1>${TITLES[status]}</h1><p>${wait}</p><p><a href="/">Try again</a></p></main></body></html>`;
  return c.html(page, status, { ...headers, ...pageHeaders });
}

const minutes = (seconds: number) => {
  const count = Math.max(1, Math.ceil(seconds / 60));
  return count === 1 ? 'a minute' : `${count} minutes`;
};

const styles = `${tokens}
body{margin:0;background:var(--surface);color:var(--text);font:14px/1.5 var(--sans)}
main{display:grid;justify-items:center;align-content:center;min-height:100vh;padding:24px;box-sizing:border-box;text-align:center}
h1{font-size:20px;margin:16px 0 8px}
p{margin:0 0 8px;color:var(--text-muted)}
a{color:var(--accent);display:inline-block;padding:4px}
a:focus-visible{outline:2px solid var(--accent)}`;

const styleHash = createHash('sha256').update(styles).digest('base64');
const pageHeaders = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};
