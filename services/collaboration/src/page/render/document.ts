import { colours, favicon } from '@switchboard/design';
import { raw } from 'hono/html';
import type { Locale } from './locale.ts';
import { type Markup, markup } from './markup.ts';
import { styles } from './styles.ts';

interface Document {
  title: string;
  /** The description in link previews. */
  description: string;
  body: Markup;
  locale: Locale;
}

/**
 * Renders a complete page. The preview tags have no image, so that neither the page nor a preview of it loads
 * anything.
 */
export function document({ title, description, body, locale }: Document): string {
  return markup`<!doctype html>
<html lang="${locale.language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">
<meta name="description" content="${description}">
<meta property="og:type" content="website"><meta property="og:site_name" content="Switchboard">
<meta property="og:title" content="${title}"><meta property="og:description" content="${description}">
<meta name="twitter:card" content="summary">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${colours.surface.light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${colours.surface.dark}">
<link rel="icon" type="image/svg+xml" href="${favicon}">
<style>${raw(styles)}</style></head>
<body>${body}</body></html>
`.toString();
}
