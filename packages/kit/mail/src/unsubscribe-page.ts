import { createHash } from 'node:crypto';
import { tokens } from '@switchboard/design';
import { html, raw } from 'hono/html';

const styles = `${tokens}
body{margin:0;background:var(--surface);color:var(--text);font:14px/1.5 var(--sans);overflow-wrap:anywhere}
main{max-width:420px;margin:15vh auto 0;padding:24px}
h1{font-size:20px;line-height:1.3;margin:0 0 16px}
button{font:inherit;font-weight:600;padding:10px 18px;border:0;border-radius:6px;background:var(--accent);color:var(--on-accent);cursor:pointer}
button:focus-visible{outline:3px solid var(--accent);outline-offset:2px}`;

/** The headers of the page, which keep its address out of caches, search engines and Referer headers. */
export const PAGE_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(styles).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'no-referrer',
};

/** Renders the page of the link that ends mails: a text, and a button that confirms it. */
export const unsubscribePage = (language: string, text: string, button?: string) => html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${text}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${raw(styles)}</style></head>
<body><main><h1>${text}</h1>${button === undefined ? '' : html`<form method="post"><button>${button}</button></form>`}</main></body></html>
`;
