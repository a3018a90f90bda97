import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { logo } from '@switchboard/design';
import { html, raw } from 'hono/html';
import { Marked, type Tokens } from 'marked';
import { layout } from './layout.ts';

const ROOT = new URL('../../../../', import.meta.url);
const SERVED = ['README.md', 'docs/*.md', 'docs/reference/*.md', 'packages/sdk/*/README.md'];

export interface Guide {
  title: string;
  body: string;
}

let kept: Promise<Map<string, Guide>> | undefined;

/**
 * Returns the README, under the name '', the pages of docs/, such as `flags` and `reference/settings`, and the READMEs
 * of the SDKs, such as `sdk/browser`.
 */
export function guides(): Promise<Map<string, Guide>> {
  kept ??= read().catch((error: unknown) => {
    kept = undefined;
    throw error;
  });
  return kept;
}

async function read(): Promise<Map<string, Guide>> {
  const pages = globSync(SERVED, { cwd: ROOT }).map(async (path): Promise<[string, Guide]> => {
    return [nameOf(path) ?? '', guideOf(path, await readFile(new URL(path, ROOT), 'utf8'))];
  });
  return new Map(await Promise.all(pages));
}

/** Returns the name of a served file, or undefined if it is not served. */
function nameOf(path: string): string | undefined {
  if (path === 'README.md') return '';
  const [, page, sdk] =
    /^(?:docs\/((?:reference\/)?[a-z-]+)\.md|packages\/(sdk\/[a-z-]+)\/README\.md)$/.exec(path) ?? [];
  return page ?? sdk;
}

/** Returns a drawing of docs/, such as `scale.svg`, or undefined if there is none with that name. */
export async function drawing(name: string): Promise<string | undefined> {
  if (!/^[a-z-]+\.svg$/.test(name)) return undefined;
  return readFile(new URL(`docs/${name}`, ROOT), 'utf8').catch(() => undefined);
}

/** Maps links between pages to `/guides`. Links to other files become text, because these are not served. */
function hrefOf(href: string, from: string): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [to = '', fragment] = href.split('#');
  const name = nameOf(posix.join(posix.dirname(from), to));
  if (name === undefined) return undefined;
  return `${posix.join('/guides', name)}${fragment === undefined ? '' : `#${fragment}`}`;
}

/** Returns the anchor that GitHub gives a heading. The pages use these anchors to link to sections. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

function guideOf(path: string, text: string): Guide {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        return `<h${depth} id="${anchorOf(heading)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const to = hrefOf(href, path);
        const label = this.parser.parseInline(tokens);
        return to === undefined ? label : `<a href="${to}">${label}</a>`;
      },
      image({ href, text: alt }) {
        return `<img src="/guides/${href}" alt="${alt}">`;
      },
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: 'th' | 'td') =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        const head = `<thead><tr>${cells(token.header, 'th')}</tr></thead>`;
        return `<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>${head}<tbody>${rows}</tbody></table></div>\n`;
      },
      code({ text: code }) {
        return `<pre class="scroll" tabindex="0"><code>${html`${code}`}</code></pre>\n`;
      },
    },
  });
  return { title: /^# (.+)$/m.exec(text)?.[1] ?? 'Switchboard', body: marked.parse(text, { async: false }) };
}

/** Renders a page of the documentation. */
export const guidePage = ({ title, body }: Guide) =>
  layout({
    title: title === 'Switchboard' ? title : `${title} · Switchboard`,
    name: 'start',
    bodyClass: 'start guide',
    body: html`
<header class="masthead">
  <a class="brand" href="/">${raw(logo(24))} Switchboard</a>
  <nav class="links" aria-label="Documentation"><a href="/guides">Guides</a><a href="/docs">API reference</a></nav>
</header>
<main>${raw(body)}</main>`,
  });

/** Renders the response to a browser that requested a page that does not exist. */
export const missingPage = (path: string) =>
  layout({
    title: 'Not found · Switchboard',
    name: 'start',
    bodyClass: 'start',
    body: html`
<header class="masthead"><a class="brand" href="/">${raw(logo(24))} Switchboard</a></header>
<main><section class="hero"><h1>Not found</h1><p>There is no page at <code>${path}</code>.</p>
<nav class="actions" aria-label="Continue"><a class="button primary" href="/">Start page</a><a class="button" href="/guides">Guides</a><a class="button" href="/docs">API reference</a></nav></section></main>`,
  });
