import { favicon, logo } from '@switchboard/design';
import { html, raw } from 'hono/html';
import { currentLanguage, textsOf } from './texts/languages.ts';

type Html = ReturnType<typeof html>;

/** The path of everything that the service serves to browsers. */
export const MOUNT = '/identity';

export interface Page {
  title: string;
  /** The content. `problem` is shown above it. */
  body: Html | Html[];
  problem?: string | undefined;
  isWide?: boolean;
}

/** Renders a page as HTML. It has no inline script and no inline style. */
export function renderPage({ title, body, problem, isWide = false }: Page): string {
  const hidden = problem === undefined ? 'hidden' : '';
  return html`<!doctype html>
<html lang="${currentLanguage()}"${raw(isWide ? ' class="wide"' : '')}><head><meta charset="utf-8"><title>${title} - Switchboard</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<link rel="icon" href="${raw(favicon)}"><link rel="stylesheet" href="${MOUNT}/assets/style.css">
<script type="module" src="${MOUNT}/assets/script.js"></script></head>
<body><main><p class="brand">${raw(logo(24))}Switchboard</p>
<div class="card"><h1>${title}</h1><p class="problem" role="alert" data-problem ${raw(hidden)}>${problem ?? ''}</p>${body}</div>
</main></body></html>
`.toString();
}

/**
 * Returns the headers of pages. `origins` are those of the applications, because browsers apply form-action to the
 * redirects after a form as well.
 */
export function pageHeaders(origins: readonly string[]): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "frame-ancestors 'none'",
      `form-action ${["'self'", ...origins].join(' ')}`,
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    Vary: 'Accept-Language',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  };
}

/** Says that a link in an e-mail or a log does not work any longer. */
export function expiredLinkPage(): Page {
  const texts = textsOf();
  return { title: texts.linkExpired, body: html`<p>${texts.linkExpiredHelp}</p>` };
}
