import { colours } from '@switchboard/design';
import { html, raw } from 'hono/html';

interface MailPage {
  /** A BCP 47 tag. */
  language: string;
  title: string;
  /** The link target of the product name. */
  home: string;
  heading: string;
  /** Plain text. Line breaks are kept. */
  paragraphs: readonly string[];
  button: { text: string; link: string };
  /** The text before the full link, for mail clients that show no buttons. */
  address: string;
  why: string;
}

const { text, 'text-muted': muted, surface, raised, line, accent, 'on-accent': onAccent } = colours;

// Mail clients without support for style sheets show the inline styles, in the light scheme.
const styles = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
body,.page{background:${surface.dark}!important;color:${text.dark}!important}
.card{background:${raised.dark}!important;border-color:${line.dark}!important}
.muted,.muted a{color:${muted.dark}!important}
.brand{color:${text.dark}!important}
.button{background:${accent.dark}!important;color:${onAccent.dark}!important}
}`;

const SANS = "Inter,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";

const lines = (paragraph: string) => raw(html`${paragraph}`.toString().replaceAll(/\r\n|\r|\n/g, '<br>'));

/**
 * Renders a mail as HTML: one column that fits 320 px, without images, scripts or addresses other than its own
 * links.
 */
export function mailPage({
  language,
  title,
  home,
  heading,
  paragraphs,
  button,
  address,
  why,
}: MailPage): string {
  const body = paragraphs.map((paragraph) => html`<p style="margin:0 0 16px">${lines(paragraph)}</p>\n`);
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>${raw(styles)}</style></head>
<body style="margin:0;background:${surface.light};color:${text.light};font:14px/1.5 ${raw(SANS)}">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:${surface.light}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;text-align:left;table-layout:fixed">
<tr><td style="padding:0 4px 16px"><a class="brand" href="${home}" style="color:${text.light};font-size:16px;font-weight:600;text-decoration:none"><span style="display:inline-block;width:14px;height:14px;margin-right:8px;border-radius:4px;background:${accent.light};vertical-align:-1px"></span>Switchboard</a></td></tr>
<tr><td class="card" style="padding:24px;background:${raised.light};border:1px solid ${line.light};border-radius:6px;overflow-wrap:anywhere">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;font-weight:600">${heading}</h1>
${body}<p style="margin:24px 0"><a class="button" href="${button.link}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:${accent.light};color:${onAccent.light};font-weight:600;text-decoration:none">${button.text}</a></p>
<p class="muted" style="margin:0;color:${muted.light};font-size:13px">${address}<br><a href="${button.link}" style="color:${muted.light}">${button.link}</a></p></td></tr>
<tr><td class="muted" style="padding:16px 4px 0;color:${muted.light};font-size:12px">${why}</td></tr>
</table></td></tr></table></body></html>
`.toString();
}
