import { raw } from 'hono/html';
import type { Locale } from './locale.ts';
import { type Markup, markup } from './markup.ts';
import { ACCENT, styles } from './styles.ts';

const MARK = `<rect width="32" height="32" rx="8" fill="${ACCENT.light}"/><path d="M9 11h9M14 21h9" stroke="#fff" stroke-width="3" stroke-linecap="round"/><circle cx="22" cy="11" r="3.5" fill="#fff"/><circle cx="10" cy="21" r="3.5" fill="#fff"/>`;
const FAVICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${MARK}</svg>`)}`;

/** Switchboard's mark, decorative. */
export const logo = raw(
  `<svg class="logo" width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">${MARK}</svg>`,
);

interface Document {
  title: string;
  /** What a preview of a link to the page says. */
  description: string;
  body: Markup;
  locale: Locale;
}

/** A whole page. Its preview tags have no image: it loads nothing, and neither should who shows a preview. */
export function document({ title, description, body, locale }: Document): string {
  return markup`<!doctype html>
<html lang="${locale.language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">
<meta name="description" content="${description}">
<meta property="og:type" content="website"><meta property="og:site_name" content="Switchboard">
<meta property="og:title" content="${title}"><meta property="og:description" content="${description}">
<meta name="twitter:card" content="summary">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${ACCENT.light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${ACCENT.dark}">
<link rel="icon" type="image/svg+xml" href="${FAVICON}">
<style>${raw(styles)}</style></head>
<body>${body}</body></html>
`.toString();
}
