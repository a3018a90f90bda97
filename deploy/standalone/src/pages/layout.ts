import { favicon } from '@switchboard/design';
import { html } from 'hono/html';

interface LayoutOptions {
  title: string;
  /** The name of its style and script. */
  name: 'shop' | 'start';
  body: unknown;
  bodyClass: string;
  /** Attributes of the body that the script reads. */
  data?: Readonly<Record<string, string>>;
}

/** Renders a page with its style and script as separate files of this address. */
export const layout = ({ title, name, body, bodyClass, data = {} }: LayoutOptions) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${favicon}">
<link rel="stylesheet" href="/demo/assets/tokens.css">
<link rel="stylesheet" href="/demo/assets/base.css">
<link rel="stylesheet" href="/demo/assets/${name}.css">
<script type="module" src="/demo/assets/${name}.js"></script>
</head>
<body class="${bodyClass}" data-settings="${JSON.stringify(data)}">
${body}
</body>
</html>`;
