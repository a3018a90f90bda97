import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { eventually } from '@switchboard/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { call, useCollaboration } from '../testing/harness.ts';

const harness = await useCollaboration();
let addresses = 0;

const link = (method: string, body?: object, report = 'signups') =>
  harness.as('ada').call(method, `/v1/projects/shop/reports/${report}/public-link`, body);
const run = (report: unknown, more: object = {}, id = 'signups') =>
  harness
    .as('operator', ['service.manage'])
    .call('POST', `/management/v1/projects/shop/reports/${id}/runs`, { report, ...more });
const annotate = (body: object) =>
  harness.as('ada').call('POST', '/v1/projects/shop/annotations', { tags: ['a'], ...body });
const open = (token: string, method = 'GET', address = `10.1.${addresses++ >> 8}.${addresses & 255}`) =>
  call(harness.url, method, `/shared/${token}`, undefined, { 'x-forwarded-for': address });

let token: string;
beforeEach(async () => {
  harness.clock.set('2026-03-01T12:00:00.000Z');
  token = (await link('PUT', { expiresOn: '2026-03-10' })).body.token;
});

const line = {
  kind: 'line',
  title: 'Daily sign-ups',
  unit: 'sign-ups',
  buckets: ['2026-02-01', '2026-02-02', '2026-02-03'],
  series: [{ name: 'Web', values: [1, 2.5, null] }],
};

describe('the page of a link', () => {
  it('shows the report, the time of its run and the stop day of the link', async () => {
    await run(line, { ranAt: '2026-02-28T09:05:00Z' });
    const { status, body, headers } = await open(token);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('<title>Daily sign-ups</title>');
    expect(body).toContain('Web shop');
    expect(body).toContain('<time datetime="2026-02-28T09:05:00.000Z">28 Feb 2026, 09:05 UTC</time>');
    expect(body).toContain('<time datetime="2026-03-10T00:00:00.000Z">10 Mar 2026, 00:00 UTC</time>');
  });

  it('shows a new run and a moved stop day at once', async () => {
    await run(line);
    expect((await open(token)).body).toContain('2.5');
    await run({ ...line, series: [{ name: 'Web', values: [7, 8, 9.75] }] });
    expect((await open(token)).body).toContain('9.75');
    await link('PUT', { expiresOn: '2026-04-02' });
    expect((await open(token)).body).toContain('2 Apr 2026');
  });

  it('shows a notice before the first run', async () => {
    const { token: other } = (await link('PUT', { expiresOn: '2026-03-10' }, 'revenue')).body;
    const { status, body } = await open(other);
    expect(status).toBe(200);
    expect(body).toContain('has not run yet');
    expect(body).toContain('<h1>Revenue</h1>');
  });

  it('never shows the cohort', async () => {
    await run({ ...line, cohort: 'secret-1', deep: { cohortIds: ['secret-2'] } }, { cohort: 'secret-3' });
    expect((await open(token)).body).not.toContain('secret');
  });

  it('loads, runs and frames nothing, and forbids caching', async () => {
    await run(line);
    const { body, headers } = await open(token);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(body.match(/<link[^>]*>/g)).toEqual([expect.stringContaining('rel="icon"')]);
    expect(body).not.toMatch(/<script|<img|\sstyle=|\son\w+=|\ssrc=|url\(|@import/i);
    expect(body.match(/https?:\/\/[^"'\s<]+/g) ?? []).toEqual(
      expect.not.arrayContaining([expect.not.stringContaining('http://www.w3.org/')]),
    );
  });

  it('offers the values of the report as CSV, under the same limits', async () => {
    await run({ ...line, series: [{ name: '=HYPERLINK("x")', values: [1, 2.5, null] }] });
    expect((await open(token)).body).toContain('<a class="download" href="?format=csv" download>');
    const { status, body, headers } = await open(`${token}?format=csv`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="report.csv"; filename*=UTF-8''Daily%20sign-ups.csv`,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toBe(
      `"Day","'=HYPERLINK(""x"")"\r\n"2026-02-01",1\r\n"2026-02-02",2.5\r\n"2026-02-03",\r\n`,
    );
    await run({ anything: 1 });
    expect((await open(`${token}?format=csv`)).status).toBe(404);
    expect((await open(`${'A'.repeat(43)}?format=csv`)).status).toBe(404);
  });

  it('begins the CSV with a byte order mark, which tells Excel the encoding', async () => {
    await run(line);
    const response = await fetch(`${harness.url}/shared/${token}?format=csv`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 6).toString('hex')).toBe(`efbbbf${Buffer.from('"Da').toString('hex')}`);
  });

  it('compresses the page as the browser asks', async () => {
    await run(line);
    const read = async (encoding: string) => {
      const { promise, resolve, reject } = Promise.withResolvers<{ sent?: string; html: string }>();
      get(
        `${harness.url}/shared/${token}`,
        { headers: { 'accept-encoding': encoding } },
        async (response) => {
          const body = await buffer(response);
          const sent = response.headers['content-encoding'];
          const decoded =
            sent === 'br' ? brotliDecompressSync(body) : sent === 'gzip' ? gunzipSync(body) : body;
          resolve({ ...(sent !== undefined && { sent }), html: decoded.toString() });
        },
      ).on('error', reject);
      return promise;
    };
    const plain = await read('identity');
    expect(plain.html).toContain('<h1>Daily sign-ups</h1>');
    expect(await read('gzip, br')).toEqual({ sent: 'br', html: plain.html });
    expect(await read('gzip')).toEqual({ sent: 'gzip', html: plain.html });
    expect(plain.sent).toBeUndefined();
  });

  it('limits a page of 144 series by 400 hours, and names the content only in the file', async () => {
    const buckets = Array.from({ length: 400 }, (_, hour) =>
      new Date(Date.UTC(2026, 2, 1, hour)).toISOString().slice(0, 16),
    );
    const series = Array.from({ length: 144 }, (_, at) => ({
      name: `Plan ${at}`,
      unit: `unit ${at}`,
      values: buckets.map((_, hour) => at + hour),
    }));
    await run({ ...line, buckets, series });
    const { body } = await open(token);
    // 34 rows and the row of totals.
    expect(body.match(/<td class="value">/g)).toHaveLength(35 * 144);
    expect(body.match(/<figure/g)).toHaveLength(6);
    expect(body).toContain('<p class="more">… and 366 more</p>');
    expect(body).toContain('<p class="others">138 more in the table</p>');
    const file = await open(`${token}?format=csv`);
    expect(file.body.split('\r\n')).toHaveLength(402);
  });

  const asked = (language: string, path = token) =>
    call(harness.url, 'GET', `/shared/${path}`, undefined, {
      'accept-language': language,
      'x-forwarded-for': `10.2.0.${addresses++ & 255}`,
    });

  it('shows the page in the language of its visitor', async () => {
    await run(line);
    const german = await asked('de-CH,de;q=0.9');
    expect(german.headers.get('vary')).toContain('Accept-Language');
    expect(german.body).toContain('<html lang="de">');
    expect(german.body).toContain('Zuletzt berechnet');
    expect((await asked('sv')).body).toContain('<html lang="en">');
    expect((await asked('fr', 'x')).body).toContain('Rien à voir ici');
  });

  it("translates built-in names into the visitor's language everywhere, and no other names", async () => {
    const series = [
      { name: 'Other', values: [1, 2, 3] },
      { name: 'Other (2)', builtIn: 'other', values: [1, 1, 1] },
      { name: '(none)', builtIn: 'none', values: [4, 5, 6] },
      { name: '(empty)', builtIn: 'empty', values: [1, 1, 1] },
    ];
    const report = { ...line, kind: 'bar', unit: 'people', breakdown: 'Plan', series };
    await run(report);
    const { body } = await asked('de');
    for (const part of [
      /<ul class="headline">.*27 Personen/,
      /<ul class="legend".*>Other<.*>Sonstige<.*>\(kein Wert\)<.*>\(leer\)</,
      /<desc [^>]*>[^<]*Sonstige: 1 Person bis 1 Person, zuletzt 1 Person\./,
      /<title>[^<]*\nOther: 1 Person\nSonstige: 1 Person\n\(kein Wert\): 4 Personen\n\(leer\): 1 Person</,
      /<text class="unit"[^>]*>Personen<\/text>/,
      /<caption>Personen<\/caption>/,
      /<th scope="col" class="value">Other<.*>Sonstige<.*>\(kein Wert\)<.*>\(leer\)</,
    ]) {
      expect(body).toMatch(part);
    }
    expect(body).not.toMatch(/people|Other \(2\)|\(none\)|\(empty\)/);
    expect((await asked('de', `${token}?format=csv`)).body).toMatch(
      /^"Tag","Other","Sonstige","\(kein Wert\)","\(leer\)"\r\n/,
    );
    expect((await asked('en', `${token}?format=csv`)).body).toMatch(
      /^"Day","Other","Other \(2\)","\(none\)","\(empty\)"\r\n/,
    );

    const steps = [{ name: 'Other', count: 9 }];
    await run({ kind: 'funnel', steps, series: series.map((one) => ({ ...one, values: [3] })) });
    const funnel = (await asked('de')).body;
    expect(funnel).toMatch(/<div class="part"><span>Sonstige<.*<title>Other\nSonstige: 3 · 100/s);
    expect(funnel).not.toContain('(none)');

    const periods = ['Week 0', 'Week 1'];
    const rows = ['2026-02-02', '2026-02-09'].map((name) => ({ name, size: 4, values: [100, 50] }));
    await run({ kind: 'grid', unit: '%', interval: 'week', periods, rows });
    const grid = (await asked('de')).body;
    for (const part of ['Durchschnitt, Woche 1<', '<th scope="col" class="value">Woche 0<', ', Woche 1">']) {
      expect(grid).toContain(part);
    }
    expect(grid).not.toMatch(/Week \d/);
  });

  it('shows a preview without the name or the description of the report', async () => {
    await run({ ...line, description: 'internal words' });
    const { body } = await open(token);
    const tags = [...body.matchAll(/<meta (?:property|name)="(og:[^"]+|description)" content="([^"]*)">/g)];
    expect(Object.fromEntries(tags.map(([, name, value]) => [name, value]))).toEqual({
      description: 'A report of Web shop, shared from Switchboard.',
      'og:type': 'website',
      'og:site_name': 'Switchboard',
      'og:title': 'Daily sign-ups',
      'og:description': 'A report of Web shop, shared from Switchboard.',
    });
  });

  it('answers HEAD without a body', async () => {
    await run(line);
    const { status, body } = await open(token, 'HEAD');
    expect([status, body]).toEqual([200, undefined]);
  });
});

describe('annotations on the page', () => {
  const allow = async (publicAnnotations: boolean) => {
    await harness.directory.put('report', {
      projectId: 'shop',
      id: 'signups',
      name: 'Weekly sign-ups',
      publicAnnotations,
    });
  };

  it('shows annotations only where the report allows it', async () => {
    await run(line);
    const { id } = (await annotate({ startsOn: '2026-02-02', text: 'not for everyone' })).body;
    expect((await open(token)).body).not.toContain('not for everyone');
    await allow(true);
    await eventually(async () => expect((await open(token)).body).toContain('not for everyone'));
    await allow(false);
    await eventually(async () => expect((await open(token)).body).not.toContain('not for everyone'));
    await allow(true);
    await eventually(async () => expect((await open(token)).body).toContain('not for everyone'));
    await harness.as('ada').call('DELETE', `/v1/projects/shop/annotations/${id}`);
  });

  const list = async () =>
    [...(await open(token)).body.matchAll(/<span class="number"[^>]*>(\d+)<\/span><div>([^<]*)</g)].map(
      ([, number, text]) => `${number} ${text}`,
    );

  it('shows the annotations of the report and the project on the days shown', async () => {
    await run(line);
    await annotate({ startsOn: '2026-01-31', text: 'the day before' });
    await annotate({ startsOn: '2026-01-20', endsOn: '2026-02-01', text: 'reaches into it' });
    await annotate({ startsOn: '2026-02-02', text: 'of the report', reportId: 'signups' });
    await annotate({ startsOn: '2026-02-02', text: 'of another', reportId: 'revenue' });
    await annotate({ startsOn: '2026-02-03', text: 'the last day' });
    await annotate({ startsOn: '2026-02-04', text: 'the day after' });
    expect(await list()).toEqual(['1 reaches into it', '2 of the report', '3 the last day']);
    const { body } = await open(token);
    expect(body).toContain('20 Jan 2026 – 1 Feb 2026');
  });

  it('shows changed annotations at once', async () => {
    const { id } = (await annotate({ startsOn: '2026-02-02', text: 'for a moment' })).body;
    expect(await list()).toContain('3 for a moment');
    await harness.as('ada').call('DELETE', `/v1/projects/shop/annotations/${id}`);
    expect((await list()).join()).not.toContain('for a moment');
  });

  it('draws no annotations on a chart without days', async () => {
    await run({ ...line, buckets: ['a', 'b', 'c'] });
    expect(await list()).toEqual([]);
  });
});

describe('a missing page', () => {
  it('answers the same 404 for a link that is off, stopped, unknown or malformed', async () => {
    const unknown = await open('A'.repeat(43));
    expect(unknown.status).toBe(404);
    expect(unknown.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(unknown.body).toContain('<h1>Nothing to see here</h1>');
    harness.clock.set('2026-03-10T00:00:00.000Z');
    const stopped = await open(token);
    harness.clock.set('2026-03-01T12:00:00.000Z');
    expect((await open(token)).status).toBe(200);
    await link('DELETE');
    const answers = [stopped, await open(token), await open('x'), await open('%F0%9F%9A%80')];
    const headersOf = ({ headers }: { headers: Headers }) =>
      [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([404, unknown.body]);
      expect(headersOf(answer)).toEqual(headersOf(unknown));
    }
  });

  it('answers 429 with Retry-After past the rate limits shared with the API', async () => {
    const address = '203.0.113.99';
    const read = () =>
      call(harness.url, 'GET', `/v1/shared-reports/${token}`, undefined, { 'x-forwarded-for': address });
    const answers = [];
    for (let index = 0; index < 15; index++) answers.push(await open(token, 'GET', address), await read());
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { status, headers, body } = await open(token, 'GET', address);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body).toContain('Too many visits');
    expect((await read()).status).toBe(429);
  });
});
