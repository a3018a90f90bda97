import { colours } from '@switchboard/design';
import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

interface MailPage {
  /** A BCP 47 tag. */
  language: string;
  title: string;
  /** Shown at the top with the link of the product. A string is the name of another sender, without a link. */
  from: { home: string } | string;
  heading: string;
  /** Plain text. Line breaks are kept. */
  paragraphs: readonly string[];
  /** Markup after the paragraphs. */
  content?: HtmlEscapedString;
  /** `address` is the text before the full link, for mail clients that show no buttons. */
  button?: { text: string; link: string; address: string };
  why: string;
  /** A link after the reason for the mail. */
  footer?: { text: string; link: string };
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

const BRAND = `color:${text.light};font-size:16px;font-weight:600;text-decoration:none`;

const brand = (from: MailPage['from']) =>
  typeof from === 'string'
    ? html`<span class="brand" style="${BRAND}">${from}</span>`
    : html`<a class="brand" href="${from.home}" style="${BRAND}"><span style="display:inline-block;width:14px;height:14px;margin-right:8px;border-radius:4px;background:${accent.light};vertical-align:-1px"></span>Switchboard</a>`;

const buttonOf = ({ text: label, link, address }: NonNullable<MailPage['button']>) =>
  html`<p style="margin:24px 0"><a class="button" href="${link}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:${accent.light};color:${onAccent.light};font-weight:600;text-decoration:none">${label}</a></p>
<p class="muted" style="margin:0;color:${muted.light};font-size:13px">${address}<br><a href="${link}" style="color:${muted.light}">${link}</a></p>`;

/**
 * Renders a mail as HTML: one column that fits 320 px, without scripts or addresses other than its own links.
 */
export function mailPage({
  language,
  title,
  from,
  heading,
  paragraphs,
  content,
  button,
  why,
  footer,
}: MailPage): string {
  const body = paragraphs.map((paragraph) => html`<p style="margin:0 0 16px">${lines(paragraph)}</p>\n`);
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<style>${raw(styles)}</style></head>
<body style="margin:0;background:${surface.light};color:${text.light};font:14px/1.5 ${raw(SANS)}">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:${surface.light}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;text-align:left;table-layout:fixed">
<tr><td style="padding:0 4px 16px">${brand(from)}</td></tr>
<tr><td class="card" style="padding:24px;background:${raised.light};border:1px solid ${line.light};border-radius:6px;overflow-wrap:anywhere">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;font-weight:600">${heading}</h1>
${body}${content ?? ''}${button === undefined ? '' : buttonOf(button)}</td></tr>
<tr><td class="muted" style="padding:16px 4px 0;color:${muted.light};font-size:12px">${why}${footer === undefined ? '' : html`<br><a href="${footer.link}" style="color:${muted.light}">${footer.text}</a>`}</td></tr>
</table></td></tr></table></body></html>
`.toString();
}
