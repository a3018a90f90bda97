import { eventually, hasChromium } from '@switchboard/testkit';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FaultyLink, faultyLink } from './testing/faulty-link.ts';
import { standaloneForTests } from './testing/launch.ts';
import { siteForTests } from './testing/sdk-page.ts';

describe.skipIf(!hasChromium)('the privacy of the SDKs in a browser', () => {
  const running = standaloneForTests();
  const site = siteForTests({
    modules: {
      switchboard: import.meta.resolve('@switchboard/browser'),
      replay: import.meta.resolve('@switchboard/replay'),
      messenger: import.meta.resolve('@switchboard/messenger'),
      player: import.meta.resolve('rrweb-player'),
      secrets: new URL('./testing/secrets-page.js', import.meta.url).href,
    },
    scripts: {},
    pages: { '/account': '<!doctype html><p>Account</p>' },
    body: '<p id="public">Shown to all</p><style id="style">p { color: black }</style>',
  });
  const contexts: BrowserContext[] = [];
  let link: FaultyLink;
  beforeAll(async () => {
    link = await faultyLink(running.demo.eu_api_url);
  });
  afterAll(() => link.close());
  afterEach(async () => {
    link.arrivals.length = 0;
    for (const context of contexts.splice(0)) await context.close();
  });

  /** Opens a page with a client. Its links and forms do nothing. */
  async function open(path = '/', options: object = {}): Promise<Page> {
    const context = await site.visitor();
    contexts.push(context);
    const page = await site.open(context, path);
    await page.evaluate(`addEventListener('click', (event) => event.preventDefault());
      for (const name of ['submit', 'reset']) addEventListener(name, (event) => event.preventDefault())`);
    await start(page, options);
    return page;
  }

  async function start(page: Page, options: object = {}): Promise<void> {
    const { base_url, eu_replay_url, project_key } = running.demo;
    const hosts = { key: project_key, host: base_url, eventsHost: link.url, replayHost: eu_replay_url };
    await page.evaluate(
      `errors = []; sb = switchboard.init({ ...${JSON.stringify({ ...hosts, ...options })}, onError: (error) => errors.push(error) })`,
    );
  }

  const record = (page: Page, options: object = {}) =>
    page.evaluate<string>(
      `recording = replay.startReplay(sb, { ...${JSON.stringify(options)}, onError: (error) => errors.push(error) }); sb.sessionId`,
    );

  /** Ends the recording. Returns the stored events. */
  async function stop(page: Page, session: string): Promise<string> {
    await page.evaluate(`(async () => {
      const end = document.createElement('p');
      end.className = 'the-end';
      document.body.append(end);
      await secrets.settle();
      recording.stop();
    })()`);
    expect(await page.evaluate('errors')).toEqual([]);
    return stored(session, 'the-end');
  }

  /** Returns the stored events of a session, once they contain the text. */
  async function stored(session: string, text: string): Promise<string> {
    const { management_url, project_id, tokens } = running.demo;
    const address = `${management_url}/management/v1/projects/${project_id}/replays/${session}/events`;
    return eventually(
      async () => {
        const answer = await fetch(address, { headers: { Authorization: `Bearer ${tokens.operator}` } });
        expect(answer.status).toBe(200);
        const all = await answer.text();
        expect(all.includes(text)).toBe(true);
        return all;
      },
      { withinMs: 30_000 },
    );
  }

  const secretsIn = (events: string) => [...new Set(events.match(/secret[\w-]*/g))].sort();

  /**
   * Records a page on which all kinds of content and changes occur, in parts with these marks and in unmarked parts.
   */
  async function recordAll(
    page: Page,
    marks: object[],
    options: object = {},
    names?: string[],
  ): Promise<string> {
    const build = (word: string) =>
      `for (const marks of ${JSON.stringify(marks)})
        roots.push(...await secrets.build(marks, 'secret-${word}', ${JSON.stringify(names)}))`;
    await page.evaluate(`(async () => {
      roots = [], shown = await secrets.build({}, 'open-before', ${JSON.stringify(names)});
      ${build('before')};
      await secrets.settle();
    })()`);
    const session = await record(page, options);
    await page.evaluate(`(async () => {
      await secrets.settle();
      shown.push(...await secrets.build({}, 'open-late', ${JSON.stringify(names)}));
      ${build('late')};
      await secrets.settle();
      for (const [all, word] of [[roots, 'secret'], [shown, 'open']]) {
        secrets.change(all, word + '-before', word + '-changed');
        secrets.type(all, word + '-typed');
        secrets.upgrade(all, word + '-upgraded');
        await secrets.settle();
        secrets.change(all, word + '-late', word + '-late-changed');
        secrets.touch(all);
      }
      await secrets.settle();
    })()`);
    return stop(page, session);
  }

  /** Plays a recording to its end. Returns the errors of the player. */
  async function play(events: string): Promise<string[]> {
    const viewer = await site.open(await site.visitor());
    const complaints: string[] = [];
    viewer.on('pageerror', ({ message }) => complaints.push(message));
    viewer.on('console', (message) => {
      if (message.text().includes('[replayer]')) complaints.push(message.text());
    });
    await viewer.evaluate(
      `shown = new player.default({ target: document.body, props: { events: ${events}, autoPlay: false, showWarning: true } }); shown.goto(1e9, false)`,
    );
    await viewer.frameLocator('iframe').first().locator('.the-end').waitFor({ state: 'attached' });
    await viewer.context().close();
    return complaints;
  }

  it('a recording contains nothing of private elements, whatever their position, kind and changes', async () => {
    const page = await open();
    const events = await recordAll(page, [{ 'data-switchboard-block': '' }, { 'data-switchboard-mask': '' }]);
    expect(secretsIn(events)).toEqual([]);
    // The recording must contain all kinds of parts and changes.
    const parts = ['light', 'shadow', 'slot', 'frame', 'loaded_frame', 'frame_in_shadow', 'shadow_in_frame'];
    for (const part of parts)
      for (const when of ['before', 'changed', 'late', 'late-changed'])
        for (const place of ['text', 'title', 'alt', 'svg-text', 'option', 'submit', 'content'])
          expect(events.includes(`open-${when}-${part}-${place}`), `${when} ${part} ${place}`).toBe(true);
    for (const place of ['upgraded-late', 'typed-inserted', 'typed-declared', 'typed-adopted-rule'])
      expect(events.includes(`open-${place}`), place).toBe(true);
    // Input values are masked everywhere.
    const values = ['input', 'cleared', 'hidden', 'password', 'email', 'unknown-type', 'checkbox', 'radio'];
    const texts = ['textarea', 'textarea-cleared', 'srcdoc-input', 'editable', 'typed', 'written'];
    const pattern = new RegExp(`open[\\w-]*-(?:${[...values, ...texts].join('|')})\\b(?!-)`, 'g');
    expect([...new Set(events.match(pattern))]).toEqual([]);
    expect(await play(events)).toEqual([]);
  }, 180_000);

  it('a recording with maskText contains only the layout of the page', async () => {
    const names = ['light', 'shadow', 'frame'];
    const events = await recordAll(await open(), [{}], { maskText: true }, names);
    expect(secretsIn(events)).toEqual([]);
    expect(events.match(/open-(?:before|changed|late|typed|upgraded)/)).toBeNull();
    expect(await play(events)).toEqual([]);
  }, 180_000);

  it('a recording of inputs omits private, password and hidden inputs, and names of files', async () => {
    const page = await open();
    const fields = (word: string) =>
      `<input value="${word}-input"><input type="checkbox" value="${word}-box"><textarea>${word}-area</textarea><select><option value="${word}-option">x</option></select>`;
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', \`${fields('open')}<div id="marked" data-switchboard-mask>${fields('secret')}</div>
      <input type="hidden" value="secret-token"><input type="file"><div contenteditable>open-editable</div>
      <input type="password" value="secret-password" id="password">\`)`);
    const session = await record(page, { masked: false });
    await page.setInputFiles('input[type=file]', {
      name: 'secret-payslip.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('x'),
    });
    await page.evaluate(`(async () => {
      const show = document.querySelector('#password');
      show.type = 'text';
      await secrets.settle();
      show.value = 'secret-shown-password';
      secrets.change([document.querySelector('#marked')], 'secret', 'secret-changed');
      for (const field of document.querySelectorAll('#marked input, #marked textarea')) field.value = 'secret-typed';
      document.querySelector('input').value = 'open-typed';
      document.querySelector('[type=hidden]').value = 'secret-changed-token';
    })()`);
    const events = await stop(page, session);
    expect(secretsIn(events)).toEqual([]);
    for (const value of ['input', 'box', 'area', 'option', 'editable', 'typed'])
      expect(events).toContain(`open-${value}`);
  });

  it('a recording contains addresses of the page without query and fragment', async () => {
    const page = await open('/reset?token=secret-token&next=/secret-a/secret-b#access_token=secret-hash');
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', \`<a href="#part" id="link">Part</a>
      <div style="background: url(x.png)"><div style="background: url(../y.png)"></div></div><style>.x { background: url(z.png) }</style>
      <svg><a href="#y"><text>y</text></a></svg><img src="picture.png"><iframe srcdoc="<a href='#z'>z</a>"></iframe>
      <iframe sandbox src="/account?secret-frame"></iframe>\`)`);
    const session = await record(page);
    await page.evaluate(`(async () => {
      await secrets.settle();
      history.pushState({}, '', '?token=secret-next');
      document.querySelector('#link').href = '#other';
    })()`);
    const events = await stop(page, session);
    expect(secretsIn(events)).toEqual([]);
    for (const address of ['/reset"', '/reset#part"', '/reset#other"', '/picture.png"', '/account"'])
      expect(events).toContain(address);
  });

  it('a recording contains nothing of the messenger', async () => {
    const page = await open();
    const session = await record(page);
    await page.evaluate(`chat = messenger.startMessenger(sb)`);
    await page.getByRole('button', { name: 'Open the chat' }).waitFor();
    await page.evaluate(`chat.write('secret-draft')`);
    await page.getByRole('textbox', { name: 'Write a message' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('secret-draft').waitFor();
    const events = await stop(page, session);
    expect(events).toContain('switchboard-messenger');
    expect(secretsIn(events)).toEqual([]);
    expect(events).not.toContain('Write a message');
  });

  it('a recording plays on a page with a library that changes how arrays are serialised', async () => {
    const page = await open();
    // Prototype.js 1.6 does this.
    await page.evaluate(`Array.prototype.toJSON = function () { return '[' + this.map((one) => JSON.stringify(one)).join(', ') + ']' };
      Date.prototype.toJSON = function () { return '"' + this.toISOString() + '"' }`);
    const session = await record(page);
    await page.evaluate(
      `sb.track('listed', { items: [1, [2]], at: new Date(0) }); sb.identify('listing', { plans: ['pro'] }); sb.flush()`,
    );
    expect(await play(await stop(page, session))).toEqual([]);
    await eventually(() => {
      const sent = link.arrivals.map(({ body }) => body).join();
      expect(sent).toContain('"properties":{"items":[1,[2]],"at":"1970-01-01T00:00:00.000Z"}');
      expect(sent).toMatch(/"properties":\{"plans":\["pro"\],"anonymous_id":/);
    });
    expect(await page.evaluate(`[JSON.stringify([1]), JSON.stringify(new Date(0))]`)).toEqual([
      '"[1]"',
      String.raw`"\"1970-01-01T00:00:00.000Z\""`,
    ]);
  });

  it('a recording ends when it cannot find out which parts are private', async () => {
    const page = await open();
    const session = await record(page);
    await page.evaluate(`(async () => {
      await secrets.settle();
      Object.defineProperty(Element.prototype, 'assignedSlot', { get() { throw new Error('broken') } });
      document.body.append('secret');
      await secrets.settle();
    })()`);
    expect(await page.evaluate('[recording.isRecording, errors]')).toEqual([
      false,
      [{ message: 'Error: broken' }],
    ]);
    expect(secretsIn(await stored(session, 'Shown to all'))).toEqual([]);
  });

  it('the end of a recording is stored when a tab closes before its events are sent', async () => {
    const page = await open('/', { flushMs: 60_000 });
    const session = await record(page);
    await page.evaluate('secrets.settle().then(secrets.settle).then(secrets.settle)');
    const ids = await page.evaluate<string[]>(`(async () => {
      const noise = (length) => Array.from({ length }, () => Math.random().toString(36).slice(2, 3)).join('');
      const tracked = await Promise.all(Array.from({ length: 45 }, () => sb.track('closing', { noise: noise(800) })));
      document.body.append('at the end', noise(40_000));
      return tracked;
    })()`);
    const closed = page.waitForEvent('close');
    await page.close({ runBeforeUnload: true });
    await closed;
    await stored(session, 'at the end');
    // There was no room to send the events, so they are in the queue of the browser.
    const [context] = contexts;
    const next = await site.open(context as BrowserContext);
    await start(next);
    await eventually(() => {
      const sent = link.arrivals.map(({ body }) => body).join();
      expect(ids.filter((id) => !sent.includes(id))).toEqual([]);
    });
  });

  /** Returns the data that is sent for a click on the element that the script selects. */
  async function clicked(
    page: Page,
    html: string,
    click = `document.querySelector('#it')`,
  ): Promise<unknown[]> {
    link.arrivals.length = 0;
    await page.evaluate(`(async () => {
      document.body.innerHTML = ${JSON.stringify(html)};
      (${click}).click();
      await sb.track('clicked');
      await sb.flush();
    })()`);
    const sent = await eventually(() => {
      const events = link.arrivals.flatMap(({ body }) => JSON.parse(body).events);
      expect(JSON.stringify(events)).toContain('"clicked"');
      return events as { event_name: string; properties: Record<string, unknown> }[];
    });
    return sent.flatMap(({ event_name, properties }) =>
      event_name === 'element clicked' ? [[properties['text'], properties['href']]] : [],
    );
  }

  it('a click event contains no text of private elements, fields, styles and scripts', async () => {
    const page = await open('/', { clicks: true, flushMs: 10 });
    const labels = {
      '<form><input name="matches"><button type="button" id="it">Go</button></form>': 'Go',
      '<form data-switchboard-mask><input name="nodeType"><input name="parentNode"><input name="assignedSlot"><button type="button" id="it">secret</button></form>':
        '',
      '<button id="it">Pay <span data-switchboard-mask>secret</span></button>': 'Pay',
      '<button id="it">Pay <span data-switchboard-block>secret</span> now</button>': 'Pay now',
      '<span role="button" id="it">Pay <b><i data-switchboard-mask>secret</i></b></span>': 'Pay',
      '<button>Pay <span data-switchboard-block id="it">secret</span></button>': 'Pay',
      '<button id="it">Note <textarea>secret</textarea><select><option>secret</select></button>': 'Note',
      '<button id="it">Note <i contenteditable>secret</i><noscript>secret</noscript></button>': 'Note',
      '<button id="it">Buy<style>.secret{}</style><script>secret</script><template>secret</template></button>':
        'Buy',
      '<div data-switchboard-mask><button id="it">secret</button></div>': '',
      '<input type="submit" id="it" value="secret">': '',
    };
    for (const [html, text] of Object.entries(labels))
      expect(await clicked(page, html), html).toEqual([[text, null]]);
    const inShadow = `(() => {
      const root = document.querySelector('#it').attachShadow({ mode: 'open' });
      root.innerHTML = '<button>secret <x-icon></x-icon></button>';
      const icon = root.querySelector('x-icon').attachShadow({ mode: 'open' });
      icon.innerHTML = '<b>secret</b>';
      return icon.querySelector('b');
    })()`;
    expect(await clicked(page, '<div id="it" data-switchboard-block></div>', inShadow)).toEqual([]);
    expect(await clicked(page, '<div data-switchboard-block><div id="it"></div></div>', inShadow)).toEqual(
      [],
    );
    expect(await clicked(page, '<div id="it" data-switchboard-mask></div>', inShadow)).toEqual([['', null]]);
    expect(await clicked(page, '<div id="it"></div>', inShadow)).toEqual([['secret', null]]);
  });

  it('a click event contains the address of a link without its query, or only the scheme of links that are no page', async () => {
    const page = await open('/', { clicks: true, flushMs: 10 });
    const addresses = {
      'https://shop.example/a?secret#secret': 'https://shop.example/a',
      'mailto:secret@example.com': 'mailto:',
      'tel:+49123': 'tel:',
      "javascript:void('secret')": 'javascript:',
      'data:text/html,secret': 'data:',
      'blob:http://h/1': 'blob:',
      'app://secret/secret': 'app:',
      'https://[secret': '',
    };
    for (const [href, sent] of Object.entries(addresses))
      expect(await clicked(page, `<a id="it" href="${href}">x</a>`), href).toEqual([['x', sent]]);
    const link = '<p data-switchboard-mask><a id="it" href="/people/secret">x</a></p>';
    expect(await clicked(page, link)).toEqual([['', null]]);
  });

  it('a click event truncates a label between characters', async () => {
    const page = await open('/', { clicks: true, flushMs: 10 });
    for (const [label, text] of [
      [`${'x'.repeat(99)}😀 more`, `${'x'.repeat(99)}😀`],
      ['😀'.repeat(120), '😀'.repeat(100)],
      ['\ud83d', '\ufffd'],
    ])
      expect(
        await clicked(
          page,
          '<button id="it"></button>',
          `(() => { const it = document.querySelector('#it'); it.textContent = ${JSON.stringify(label)}; return it })()`,
        ),
      ).toEqual([[text, null]]);
  });
});
