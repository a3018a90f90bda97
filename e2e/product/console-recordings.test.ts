import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { call, eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lookAt, openConsole, tabTo } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';
import { mutation, type Node, nodeFactory, pageEvents, sendRecording } from './testing/recording.ts';

const running = standaloneForTests();
const START = Date.now() - 600_000;

describe.skipIf(!hasChromium)('recordings in the console', () => {
  let browser: Browser;
  let page: Page;
  let problems: string[] = [];
  const project = () => `/projects/${running.demo.project_id}`;

  beforeAll(async () => {
    browser = await openBrowser();
    const { element, text } = nodeFactory();
    const title = text('Basket');
    const body = element('body', { class: 'shop' }, [
      element('h1', {}, [title]),
      element('p', {}, [text('*** *****')]),
      element('div', { style: 'height: 2000px' }),
    ]);
    const log = (timestamp: number, level: string, message: string): Node => ({
      ...{ type: 6, timestamp },
      data: { plugin: 'rrweb/console@1', payload: { level, trace: [], payload: [JSON.stringify(message)] } },
    });
    const click = (timestamp: number): Node => ({
      ...{ type: 3, timestamp },
      data: { source: 2, type: 2, id: title['id'], x: 40, y: 40 },
    });
    await sendRecording(running.demo, {
      session: 'session-watched',
      distinctId: 'visitor-watched',
      chunks: {
        0: [
          ...pageEvents([], body, START),
          click(START + 1_000),
          mutation(START + 3_000, { texts: [{ id: title['id'], value: 'Checkout' }] }),
          {
            ...{ type: 5, timestamp: START + 4_000 },
            data: { tag: 'switchboard.event', payload: { name: 'checkout begun' } },
          },
          log(START + 5_000, 'error', 'no stock left'),
        ],
        2: [
          click(START + 60_000),
          mutation(START + 61_000, { texts: [{ id: title['id'], value: 'Goodbye' }] }),
          click(START + 62_000),
        ],
      },
    });
    await sendVisits();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
  });

  /** Sends the events of a visitor who left, and of one who paid. */
  async function sendVisits(): Promise<void> {
    const { eu_api_url, base_url, project_id, project_key: token, tokens } = running.demo;
    const event = (distinct_id: string, event_name: string, after: number, session_id: string) => ({
      ...{ distinct_id, event_name, session_id, event_id: `${distinct_id}-${event_name}`, schema_version: 1 },
      timestamp: new Date(START + after).toISOString(),
    });
    const events = [
      event('visitor-watched', 'seat seen', 500, 'session-watched'),
      event('visitor-watched', 'checkout begun', 4_000, 'session-watched'),
      event('visitor-paid', 'seat seen', 500, 'session-paid'),
      event('visitor-paid', 'seat paid', 4_000, 'session-paid'),
    ];
    const body = { sent_at: new Date().toISOString(), events };
    expect((await call('POST', `${eu_api_url}/v1/events`, { token, body })).status).toBe(202);
    for (const name of ['seat seen', 'seat paid']) {
      const url = `${base_url}/v1/projects/${project_id}/events?name=${encodeURIComponent(name)}`;
      await eventually(
        async () => expect((await call('GET', url, { token: tokens.owner })).body.events).not.toHaveLength(0),
        { withinMs: 90_000 },
      );
    }
  }

  async function open(path: string, options: object = {}) {
    ({ page, problems } = await openConsole(browser, running.demo, project() + path, options));
  }
  const recorded = () => page.frameLocator('iframe');
  const title = () => recorded().locator('h1').textContent();
  const moment = () => page.getByRole('slider', { name: 'Time line' }).getAttribute('aria-valuetext');
  const addressed = () => Number(new URL(page.url()).searchParams.get('at'));
  const table = () => page.getByRole('table', { name: 'Recordings' });

  it('finds a recording by person, event, page, length and errors, with the filters in the address', async () => {
    await open('/recordings');
    await table().waitFor();
    await page.getByRole('searchbox', { name: 'Event' }).fill('checkout begun');
    await page.getByRole('searchbox', { name: 'Part of a page address' }).fill('/basket');
    await page.getByRole('searchbox', { name: 'Id of the person' }).fill('visitor-watched');
    await page.getByRole('combobox', { name: 'Any length' }).selectOption('60');
    await page.getByRole('combobox', { name: 'With or without errors' }).selectOption('true');
    await expect.poll(() => table().getByRole('row').count()).toBe(2);
    await expect
      .poll(() => new URL(page.url()).search)
      .toMatch(/(?=.*person=visitor-watched)(?=.*event=checkout)(?=.*length=.*60)(?=.*errors=.*true)/);
    expect(await table().textContent()).toContain('gaps');
    await page.getByRole('combobox', { name: 'With or without errors' }).selectOption('false');
    await page.getByText('No recording matches the filters.').waitFor();
    await page.goBack();
  });

  it('opens a recording, seeks by a click on an event, and keeps the moment in the address', async () => {
    await open('/recordings?person=visitor-watched');
    await table().getByRole('button').first().click();
    await expect.poll(title).toBe('Basket');
    expect(await recorded().locator('p').textContent()).toBe('*** *****');
    expect(await page.getByText('1 chunk is missing.').count()).toBe(1);
    await page.getByRole('button', { name: /checkout begun/ }).click();
    await expect.poll(title).toBe('Checkout');
    expect(await moment()).toBe('0:04 of 1:02');
    await expect.poll(addressed).toBe(4);
    await page.reload();
    await expect.poll(title).toBe('Checkout');
    expect(await page.getByRole('button', { name: /checkout begun/ }).getAttribute('aria-current')).toBe(
      'step',
    );
    await page.getByRole('combobox', { name: 'Everything' }).selectOption('console');
    const entries = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
    expect(await entries.allTextContents()).toEqual(['0:05errorno stock left']);
  });

  it('plays, pauses, seeks and changes speed by keyboard alone', async () => {
    await open('/recordings/session-watched');
    await expect.poll(title).toBe('Basket');
    await page.keyboard.press('ArrowRight');
    await expect.poll(title).toBe('Checkout');
    expect(await moment()).toBe('0:05 of 1:02');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(title).toBe('Basket');
    for (let times = 0; times < 5; times++) await page.keyboard.press('Shift+>');
    expect(await page.getByRole('combobox', { name: 'Speed' }).inputValue()).toBe('8');
    await page.keyboard.press('Shift+<');
    expect(await page.getByRole('combobox', { name: 'Speed' }).inputValue()).toBe('4');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    // The pause of 55 seconds is skipped.
    await expect.poll(title, { timeout: 20_000 }).toBe('Goodbye');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    expect(await moment()).toBe('1:02 of 1:02');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.keyboard.press('Space');
    await expect.poll(addressed).toBeLessThan(62);
  });

  const watching = async () => {
    await page.getByRole('heading', { level: 1, name: 'Recording' }).waitFor();
    await expect.poll(title).toBe('Checkout');
    expect(addressed()).toBe(4);
  };

  it('leads from the drop-outs of a funnel to the person and the moment in the recording, by mouse', async () => {
    await open('/insights');
    await page.getByRole('group', { name: 'Event 1' }).getByLabel('Event').fill('seat seen');
    await page.getByRole('button', { name: 'Funnel', exact: true }).click();
    await page.getByRole('group', { name: 'Step 2' }).getByLabel('Event').fill('seat paid');
    const values = page.getByRole('region', { name: 'Values' });
    await values.getByRole('button', { name: /seat paid: 1\. Show people/ }).click({ timeout: 60_000 });
    const people = page.getByRole('region', { name: 'People behind the value' });
    await people.getByRole('button', { name: 'visitor-paid' }).waitFor();
    await people.getByRole('combobox', { name: 'Reached the step' }).selectOption('Left before the step');
    await people.getByRole('button', { name: 'visitor-watched' }).click();
    await page.getByRole('heading', { level: 1, name: 'visitor-watched' }).waitFor();
    await page.getByRole('link', { name: 'checkout begun' }).click();
    await watching();
  });

  it('leads from the drop-outs of a funnel to the moment in the recording, by keyboard alone', async () => {
    await open('');
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('heading', { level: 1, name: 'Insights' }).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Funnel', exact: true }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('group', { name: 'Step 1' }).getByLabel('Event'));
    await page.keyboard.type('seat seen');
    await tabTo(page, page.getByRole('group', { name: 'Step 2' }).getByLabel('Event'));
    await page.keyboard.type('seat paid');
    const reached = page
      .getByRole('region', { name: 'Values' })
      .getByRole('button', { name: /seat paid: 1\. Show people/ });
    await reached.waitFor({ timeout: 60_000 });
    await tabTo(page, reached);
    await page.keyboard.press('Enter');
    const people = page.getByRole('region', { name: 'People behind the value' });
    await people.getByRole('button', { name: 'visitor-paid' }).waitFor();
    await tabTo(page, people.getByRole('combobox', { name: 'Reached the step' }));
    await page.keyboard.press('ArrowDown');
    const person = people.getByRole('button', { name: 'visitor-watched' });
    await person.waitFor();
    await tabTo(page, person);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'visitor-watched' }).waitFor();
    const moment = page.getByRole('link', { name: 'checkout begun' });
    await moment.waitFor();
    expect(await page.getByRole('table', { name: 'Time line' }).ariaSnapshot()).toContain(
      'link "checkout begun"',
    );
    await tabTo(page, moment);
    await page.keyboard.press('Enter');
    await watching();
  });

  it('shows everything of a person in one time line, by kind', async () => {
    await open('/people/visitor-watched');
    const line = page.getByRole('table', { name: 'Time line' });
    await line.getByRole('link', { name: /^Recording of 1 min/ }).waitFor();
    await line.getByRole('link', { name: /^Session with 2 events/ }).waitFor();
    await page.getByRole('combobox', { name: 'Everything' }).selectOption('recording');
    await expect.poll(() => line.getByRole('row').count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('kind')).toBe('recording');
    await line.getByRole('link', { name: /^Recording of 1 min/ }).click();
    await expect.poll(title).toBe('Basket');
  });

  it('lists what an erasure of a person removes', async () => {
    await open('/people/visitor-watched');
    await page.getByRole('table', { name: 'Time line' }).getByRole('link').first().waitFor();
    await page.getByRole('button', { name: 'Erase person' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.textContent()).toMatch(/Recordings1 · 1 min/);
    const text = await dialog.textContent();
    for (const part of ['Idsvisitor-watched', 'Events2', 'Conversations0']) expect(text).toContain(part);
    expect(await dialog.getByRole('button', { name: 'Erase person' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
  });

  it('names the parts of the player for screen readers', async () => {
    await open('/recordings/session-watched?at=4');
    await expect.poll(title).toBe('Checkout');
    const tree = await page.getByRole('main').ariaSnapshot();
    for (const part of [
      'heading "Recording" [level=1]',
      'button "Play"',
      'combobox "Speed"',
      'checkbox "Skip pauses" [checked]',
      'slider "Time line"',
      'region "What happened"',
      'button "0:04 event checkout begun"',
      'button "0:05 error no stock left"',
      'link "visitor-watched"',
    ])
      expect(tree).toContain(part);
  });

  it('says when a recording does not exist', async () => {
    await open('/recordings/unknown');
    await page.getByText('Not found. It was deleted, or the address is wrong.').waitFor();
  });

  it('says when the chunks cannot be read, and reads them again', async () => {
    await open('/recordings?person=visitor-watched');
    await page.route('**/chunks*', (route) =>
      route.fulfill({ status: 502, json: { error: { code: 'X', message: 'No.' } } }),
    );
    await table().getByRole('button').first().click();
    await page.getByRole('alert').waitFor();
    await page.unroute('**/chunks*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(title).toBe('Basket');
  });

  it('violates no axe rule and fits every width in both schemes', async () => {
    const paths = { recordings: '/recordings', recording: '/recordings/session-watched?at=4' };
    for (const [name, path] of Object.entries(paths)) {
      await open(path, { height: 900 });
      if (name === 'recordings') await table().waitFor();
      else await expect.poll(title).toBe('Checkout');
      await lookAt(page, name);
      if (name === 'recordings') await page.context().close();
    }
  });
});

describe.skipIf(!hasChromium)('a hostile recording', () => {
  let browser: Browser;
  let page: Page;
  let evil: Server;
  let origin: string;
  /** The requests that a recording made. */
  const requests: string[] = [];
  const RUN =
    "try { fetch('EVIL/ran') } catch {} ; globalThis.ran = true; parent.postMessage({ ran: true }, '*')";
  const run = () => RUN.replaceAll('EVIL', origin);

  beforeAll(async () => {
    browser = await openBrowser();
    evil = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.setHeader('Access-Control-Allow-Origin', '*').end('');
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser?.close();
    evil?.closeAllConnections();
    await new Promise((resolve) => evil.close(resolve));
  });
  afterEach(() => page?.context().close());

  async function watch(session: string): Promise<void> {
    const path = `/projects/${running.demo.project_id}/recordings/${session}`;
    ({ page } = await openConsole(browser, running.demo, path));
    await page.evaluate("addEventListener('message', ({ data }) => { if (data.ran) globalThis.ran = true })");
  }
  const frame = async () => {
    const handle = await page.waitForSelector('iframe');
    const found = await handle.contentFrame();
    if (found === null) throw new Error('the player has no frame');
    return found;
  };
  const body = () => page.frameLocator('iframe').locator('#end');

  function hostileEvents(): Node[] {
    const { element, text } = nodeFactory();
    const host = element('div', { id: 'host' });
    const anchor = element('a', { href: `javascript:${run()}`, ping: `${origin}/ping` }, [text('link')]);
    const svg = (tagName: string, attributes: object, children: Node[] = []) =>
      element(tagName, attributes, children, { isSVG: true });
    const head = [
      element('script', { src: `${origin}/script.js` }),
      element('SCRIPT', {}, [text(run())]),
      element('meta', { 'http-equiv': 'refresh', content: `0;url=${origin}/refresh` }),
      element('base', { href: `${origin}/` }),
      element('link', { rel: 'stylesheet', href: `${origin}/sheet.css` }),
      element('link', { rel: 'prefetch', href: `${origin}/prefetch` }),
      element('link', { rel: 'modulepreload', href: `${origin}/preload.js` }),
      element('link', { rel: 'icon', href: `${origin}/icon` }),
      element('link', { rel: 'stylesheet', _cssText: `body { background: url(${origin}/css-text) }` }),
      element('style', {}, [
        text(`@import url(${origin}/import.css); p { background: url(${origin}/css) } `, { isStyle: true }),
        text(`@font-face { font-family: f; src: url(${origin}/font) } p { font-family: f }`, {
          isStyle: true,
        }),
      ]),
    ];
    const content = element('body', { onload: run(), background: `${origin}/background` }, [
      element('img', { src: `${origin}/image`, srcset: `${origin}/set 2x`, onerror: run() }),
      element('img', { src: 'x', ONERROR: run() }),
      element('img', { rr_dataURL: `${origin}/data-url` }),
      element('p', { style: `background-image: url(${origin}/style)`, onclick: run() }, [text('text')]),
      element('iframe', { srcdoc: `<script>${run()}</script>` }),
      element('iframe', { src: `${origin}/frame` }),
      element('object', { data: `${origin}/object` }),
      element('embed', { src: `${origin}/embed` }),
      element('video', { src: `${origin}/video`, poster: `${origin}/poster`, autoplay: true }),
      element('form', { action: `${origin}/form`, name: 'createElement' }, [
        element('input', { type: 'image', src: `${origin}/input`, autofocus: true, onfocus: run() }),
        element('button', { formaction: `${origin}/formaction`, name: 'open' }),
      ]),
      element('details', { open: true, ontoggle: run() }),
      element('isindex', { action: `${origin}/isindex` }),
      svg('svg', { onload: run() }, [
        svg('script', {}, [text(run())]),
        svg('image', { 'xlink:href': `${origin}/svg-image` }),
        svg('use', { href: `${origin}/use.svg#a` }),
        svg('a', { 'xlink:href': `javascript:${run()}` }, [
          svg('animate', { attributeName: 'href', values: `javascript:${run()}`, onbegin: run() }),
        ]),
      ]),
      anchor,
      host,
      element('p', { id: 'end' }, [text('end')]),
    ]);
    const [added, changed] = [nodeFactory(5_000), host['id']];
    return [
      ...pageEvents(head, content, START, { manifest: `${origin}/manifest` }),
      mutation(START + 1_000, {
        adds: [
          { parentId: changed, nextId: null, node: added.element('script', {}, [added.text(run())]) },
          {
            parentId: changed,
            nextId: null,
            node: added.element('img', { src: `${origin}/added`, onerror: run() }),
          },
          { parentId: changed, nextId: null, node: { type: 0, id: 6_000, childNodes: [] } },
        ],
        attributes: [
          { id: changed, attributes: { onclick: run(), style: { background: `url(${origin}/changed)` } } },
          { id: anchor['id'], attributes: { href: `javascript:${run()}` } },
        ],
      }),
      { type: 3, timestamp: START + 1_100, data: { source: 2, type: 2, id: anchor['id'], x: 1, y: 1 } },
      {
        ...{ type: 3, timestamp: START + 1_200 },
        data: { source: 10, family: 'f', fontSource: `${origin}/face`, buffer: false },
      },
      {
        ...{ type: 3, timestamp: START + 1_300 },
        data: {
          source: 9,
          id: changed,
          type: 0,
          commands: [{ property: 'drawImage', args: [`${origin}/canvas`] }],
        },
      },
      { type: 3, timestamp: START + 2_000, data: { source: 3, id: changed, x: 0, y: 1 } },
    ];
  }

  it('runs no script, sends no request, and cannot reach the console', async () => {
    await sendRecording(running.demo, {
      session: 'session-hostile',
      distinctId: 'visitor-hostile',
      chunks: { 0: hostileEvents() },
    });
    await watch('session-hostile');
    const asked: string[] = [];
    page.on('response', (response) => asked.push(response.url()));
    await body().waitFor({ state: 'attached' });
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await expect.poll(() => body().count()).toBe(1);

    const player = await frame();
    expect(
      await player.evaluate(
        "document.querySelectorAll('script, iframe, object, embed, base, meta, video').length",
      ),
    ).toBe(0);
    expect(
      await player.evaluate(`[...document.querySelectorAll('*')].flatMap((element) => [...element.attributes])
        .filter(({ name, value }) => /^on/i.test(name) || /javascript:/i.test(value)).length`),
    ).toBe(0);
    for (const reach of [
      'parent.document',
      'localStorage',
      'sessionStorage',
      'document.cookie',
      'indexedDB.open("x")',
    ])
      expect(
        await player.evaluate(
          `(() => { try { return String(${reach}) } catch (error) { return error.name } })()`,
        ),
      ).toBe('SecurityError');
    expect(await player.evaluate(`fetch('${origin}/fetch').then(() => 'sent', () => 'refused')`)).toBe(
      'refused',
    );
    await player.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = true';
      document.body.append(script);
      const image = document.createElement('img');
      image.src = '${origin}/late';
      document.body.append(image);
    }`);
    expect(await player.evaluate('globalThis.ran')).toBeUndefined();
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    // A request that a late style started would be here by now.
    await player.evaluate(
      'Promise.all(document.getAnimations()).then(() => document.fonts.ready).then(() => undefined)',
    );
    expect(requests).toEqual([]);
    expect(asked.filter((url) => url.startsWith(origin))).toEqual([]);
    const said = await page.getByText(/^Not shown:/).textContent();
    for (const part of ['images of other sites', 'frames', 'videos or sound', 'styles or fonts'])
      expect(said).toMatch(new RegExp(part.replace('s of', 's? of').replace('videos', 'videos?')));
  });

  it('shows the style sheets of the recording, and a box with the host in place of a frame', async () => {
    const { element, text } = nodeFactory();
    const head = [element('link', { rel: 'stylesheet', _cssText: 'h1 { color: rgb(1, 2, 3) }' })];
    const frames = [
      element('iframe', { rr_src: 'https://video.example/embed', width: '320', height: '180' }),
      element('canvas', { width: '100', height: '50' }),
    ];
    const content = element('body', {}, [element('h1', { id: 'end' }, [text('Trail')]), ...frames]);
    const moved = { type: 3, timestamp: START + 1_000, data: { source: 3, id: 1, x: 0, y: 0 } };
    const chunks = { 0: [...pageEvents(head, content, START), moved] };
    await sendRecording(running.demo, { session: 'session-boxes', distinctId: 'visitor-boxes', chunks });
    await watch('session-boxes');
    await body().waitFor();
    const player = await frame();
    const boxes = await player.evaluate(`[...document.querySelectorAll('[data-switchboard-box]')].map((box) =>
      [getComputedStyle(box, '::after').content, box.offsetWidth, box.offsetHeight].join())`);
    expect(boxes).toEqual(['"Frame, not shown · video.example",320,180', '"Drawing, not recorded",100,50']);
    expect(await player.evaluate("getComputedStyle(document.querySelector('h1')).color")).toBe(
      'rgb(1, 2, 3)',
    );
    await page.getByText('Not shown: 1 frame, 1 drawing.').waitFor();
  });

  it('shows the document of a frame of the same origin as it was recorded, without running or loading any of it', async () => {
    const { element, text } = nodeFactory();
    const frames = [
      element('iframe', { src: `javascript:${run()}`, width: '320', height: '180', class: 'terms' }),
      element('iframe', { rr_src: 'https://video.example/embed' }),
    ];
    const head = [
      element('style', {}, [text('.terms { opacity: 0.5 } b { color: rgb(9, 9, 9) }', { isStyle: true })]),
    ];
    const content = element('body', {}, [element('h1', { id: 'end' }, [text('Trail')]), ...frames]);
    const inner = element('iframe', { srcdoc: `<script>${run()}</script>` });
    const attach = (at: number, id: unknown, ...nodes: Node[]) =>
      mutation(START + at, {
        isAttachIframe: true,
        adds: [
          {
            parentId: id,
            nextId: null,
            node: {
              type: 0,
              id: 800_000 + at,
              childNodes: [element('html', {}, [element('body', {}, nodes)])],
            },
          },
        ],
      });
    const events = [
      ...pageEvents(head, content, START),
      attach(
        100,
        Object(frames[0])['id'],
        element('style', {}, [
          text(':root { --ink: rgb(1, 2, 3) } b { color: var(--ink) }', { isStyle: true }),
        ]),
        element('b', { onclick: run() }, [text('Terms of sale')]),
        element('img', { src: `${origin}/frame.png`, onerror: run() }),
        element('script', {}, [text(run())]),
        inner,
      ),
      attach(
        200,
        Object(inner)['id'],
        element('i', {}, [text('Inner terms')]),
        element('script', {}, [text(run())]),
      ),
      attach(300, Object(frames[1])['id'], element('u', {}, [text('Not recorded')])),
      { type: 3, timestamp: START + 1_000, data: { source: 3, id: 1, x: 0, y: 0 } },
    ];
    await sendRecording(running.demo, {
      session: 'session-frames',
      distinctId: 'visitor-frames',
      chunks: { 0: events },
    });
    requests.length = 0;
    await watch('session-frames?at=1');
    await body().waitFor();
    const player = await frame();
    await page.frameLocator('iframe').getByText('Inner terms').waitFor();
    const shown = await player.evaluate(`(() => {
      const host = document.querySelector('[data-switchboard-frame]');
      const bold = host.shadowRoot.querySelector('b');
      return [bold.textContent, getComputedStyle(bold).color, host.offsetWidth, host.offsetHeight, host.className];
    })()`);
    // The rules of the page around it do not apply in the frame.
    expect(shown).toEqual(['Terms of sale', 'rgb(1, 2, 3)', 320, 180, 'terms']);
    expect(await page.frameLocator('iframe').getByText('Not recorded').count()).toBe(0);
    await page.getByText(/Not shown:.*1 frame/).waitFor();
    expect(await player.evaluate('globalThis.ran')).toBeUndefined();
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
    expect(requests).toEqual([]);
  });

  it('ignores messages from other windows', async () => {
    await watch('session-hostile');
    await body().waitFor({ state: 'attached' });
    const width = await page.locator('iframe').getAttribute('width');
    await page.evaluate("postMessage({ kind: 'size', width: 4000, height: 4000 }, '*')");
    await page.evaluate("postMessage({ kind: 'failed' }, '*')");
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('iframe').getAttribute('width')).toBe(width);
    expect(await page.getByText('The player cannot show this recording.').count()).toBe(0);
  });

  it('loads images of other sites only after the viewer asks for them, and only over TLS', async () => {
    const { element, text } = nodeFactory();
    const picture = element('img', { src: 'https://images.example/picture.png' });
    const other = element('img', { src: `${origin}/plain` });
    const content = element('body', {}, [picture, other, element('p', { id: 'end' }, [text('end')])]);
    const events = [
      ...pageEvents([], content, START),
      { type: 3, timestamp: START + 1_000, data: { source: 3, id: 1, x: 0, y: 0 } },
    ];
    const chunks = { 0: events };
    await sendRecording(running.demo, { session: 'session-images', distinctId: 'visitor-images', chunks });
    await watch('session-images');
    const asked: string[] = [];
    await page.route('https://images.example/**', (route) => {
      asked.push(route.request().url());
      return route.fulfill({
        contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
      });
    });
    await page.getByText('Not shown: 2 images of other sites.').waitFor();
    expect(asked).toEqual([]);
    await page.getByRole('button', { name: 'Load images from other sites' }).click();
    await expect.poll(() => asked).toEqual(['https://images.example/picture.png']);
    await page.getByText('Not shown: 1 image of other sites.').waitFor();
    expect(requests).toEqual([]);
    await page.reload();
    await page.getByText('Not shown: 2 images of other sites.').waitFor();
    expect(asked).toHaveLength(1);
  });

  it('shows the rest of a recording with invalid events, deep nesting and too many nodes', async () => {
    const { element, text } = nodeFactory();
    let deep = element('b', {}, [text('deepest')]);
    for (let depth = 0; depth < 1_000; depth++) deep = element('div', {}, [deep]);
    const many = element(
      'div',
      { id: 'many' },
      Array.from({ length: 101_000 }, () => text('')),
    );
    const content = element('body', {}, [element('p', { id: 'end' }, [text('end')]), deep, many]);
    const events = [
      ...pageEvents([], content, START),
      ...[null, 7, 'text', [], {}, { type: 3 }, { type: 99, timestamp: START }, { type: 3, timestamp: 'x' }],
      ...[0, 1, 2, 3, 4, 5, 8, 13, 15].map((source) => ({
        type: 3,
        timestamp: START + 500,
        data: { source },
      })),
      { type: 3, timestamp: START + 600, data: { source: 1, positions: [{ x: 'a' }] } },
      { type: 3, timestamp: START + 700, data: { source: 0, adds: [{ parentId: 77_777_777, node: {} }] } },
      { type: 3, timestamp: 8e15, data: { source: 3, id: 1, x: 0, y: 0 } },
      { type: 3, timestamp: START + 1_000, data: { source: 3, id: 1, x: 0, y: 0 } },
    ];
    const chunks = { 0: events };
    await sendRecording(running.demo, { session: 'session-broken', distinctId: 'visitor-broken', chunks });
    await watch('session-broken');
    await body().waitFor({ state: 'attached', timeout: 90_000 });
    await page.getByText('9 events are not valid.').waitFor();
    expect(await page.getByText(/^Not shown:/).textContent()).toMatch(/parts that cannot be built/);
    const player = await frame();
    expect(await player.evaluate("document.querySelector('#many').childNodes.length")).toBeLessThan(100_000);
    await page.keyboard.press('Space');
    await expect
      .poll(() => page.getByRole('slider').getAttribute('aria-valuetext'), { timeout: 60_000 })
      .toBe('0:01 of 0:01');
  }, 240_000);

  it('lists what happened in a recording without a page', async () => {
    const event = {
      type: 5,
      timestamp: START,
      data: { tag: 'switchboard.event', payload: { name: 'lonely' } },
    };
    const chunks = { 4: [event, { ...event, timestamp: START + 1_000 }] };
    await sendRecording(running.demo, { session: 'session-empty', distinctId: 'visitor-empty', chunks });
    await watch('session-empty');
    await page.getByText('The player cannot show this recording. Its events are listed here.').waitFor();
    await page.getByRole('button', { name: /0:01 event lonely/ }).waitFor();
  });
});

describe('the document of the player', () => {
  it('has no origin, and loads its own script alone', async () => {
    const answer = await fetch(`${running.demo.console_url}/player`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const part of [
      "default-src 'none'",
      'img-src data:;',
      "form-action 'none'",
      "frame-ancestors 'self'",
      'sandbox allow-scripts',
    ])
      expect(`${policy};`).toContain(part);
    expect(policy).not.toMatch(/allow-same-origin|unsafe-eval|connect-src/);
    const script = /script-src (\S+\/assets\/recorded-page-[\w-]+\.js);/.exec(policy)?.[1] ?? '';
    expect((await fetch(script)).status).toBe(200);
    expect(await answer.text()).toContain(`<script src="${script}">`);
    const console = (await fetch(running.demo.console_url)).headers.get('content-security-policy');
    expect(console).toContain("frame-src 'self'");
  });
});
