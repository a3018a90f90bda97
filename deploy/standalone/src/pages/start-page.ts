import type { PreparedDemo } from '@switchboard/demo';
import { logo } from '@switchboard/design';
import { html, raw } from 'hono/html';
import type { Addresses } from '../addresses.ts';
import { layout } from './layout.ts';
import type { Mail } from './mails.ts';

interface StartPageOptions extends PreparedDemo {
  urls: Addresses['urls'];
  home: string;
  /** The mails. Undefined if they are not shown. */
  mails: readonly Mail[] | undefined;
}

/** Renders the first information for newcomers: the addresses, and pages to open. */
export function startPage({ urls, home, mails, demo, sharedReportUrl }: StartPageOptions) {
  const addresses: [string, string][] = [
    ['API', urls.api],
    ['Events', urls.events],
    ['Replay', urls.replay],
    ['Management', urls.management],
    ['Project', demo.project_id],
    ['Project key', demo.project_key],
  ];
  const options = `{
  key: '${demo.project_key}',
  host: '${urls.api}',
  eventsHost: '${urls.events}',
}`;
  const page = `<script
  src="${urls.api}/sdk/browser.js"></script>
<script>
const client = switchboard.init(${options});
client.track('hello');
</script>`;
  const install = `npm install ${urls.api}/sdk/browser.tgz`;
  const code = `import { init } from '@switchboard/browser';

const client = init(${options});
client.track('hello');`;
  return layout({
    title: 'Switchboard',
    name: 'start',
    bodyClass: 'start',
    body: html`
<header class="masthead">
  <p class="brand">${raw(logo(24))} Switchboard</p>
  <p class="status"><span class="dot good"></span> All services are running</p>
</header>
<main>
  <section class="hero">
    <h1>Analytics, flags, replay and support, on your machine.</h1>
    <p>Everything here is the production code, with a shop's demo data. Start with the shop: click, and watch its events reach the archive and its flags change.</p>
    <nav class="actions" aria-label="Start here">
      <a class="button primary" href="/demo">Open the demo shop</a>
      <a class="button" href="${urls.console}">Open the console</a>
      <a class="button" href="${urls.console}/operator">Pages for operators</a>
      <a class="button" href="/guides">Guides</a>
      <a class="button" href="/docs">API reference</a>
      ${sharedReportUrl === undefined ? '' : html`<a class="button" href="${sharedReportUrl}">A public report</a>`}
    </nav>
  </section>
  <div class="columns">
    <section aria-labelledby="addresses">
      <h2 id="addresses">Addresses and key</h2>
      <dl class="values">
        ${addresses.map(
          ([name, value]) =>
            html`<div><dt>${name}</dt><dd><code>${value}</code><button class="copy" type="button" data-copy="${value}" aria-label="Copy ${name}">Copy</button></dd></div>`,
        )}
      </dl>
      <p class="hint">Access tokens are in <code>${home}/demo.json</code>.</p>
    </section>
    <section aria-labelledby="first">
      <h2 id="first">Your first event</h2>
      <p class="hint">In a page:</p>
      ${snippet(page, 'the page')}
      <p class="hint">With a bundler:</p>
      ${snippet(install, 'the command')}
      ${snippet(code, 'the code')}
      <p class="hint">For other languages: <a href="/openapi.json">openapi.json</a>, and <a href="/asyncapi.json">asyncapi.json</a> for the sockets.</p>
    </section>
  </div>
  ${mails === undefined ? '' : mailList(mails)}
</main>`,
  });
}

const snippet = (text: string, name: string) =>
  html`<div class="snippet"><button class="copy" type="button" data-copy="${text}" aria-label="Copy ${name}">Copy</button><pre><code>${text}</code></pre></div>`;

const mailList = (mails: readonly Mail[]) => html`
<section aria-labelledby="mails">
  <h2 id="mails">Sent mails</h2>
  ${
    mails.length === 0
      ? html`<p class="hint">None yet. Share a report with teammates to send one.</p>`
      : html`<ul class="mails">${mails.map(
          ({ file, to, subject, at }) =>
            html`<li><a href="/mails/${encodeURIComponent(file)}"><strong>${subject}</strong><span>${to}</span><time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time></a></li>`,
        )}</ul>`
  }
</section>`;
