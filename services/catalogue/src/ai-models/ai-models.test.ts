import { eventually } from '@switchboard/testkit';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { useCatalogue } from '../testing/harness.ts';
import { publishedPrice } from './ai-models.ts';

const prices = { input: 250_000, output: 1_250_001, cacheWrite5m: 3, cacheWrite1h: 0, cacheRead: 25_000 };
const small = { displayName: 'Small 2', perMillion: prices };

const { catalogue, one } = await useCatalogue();
beforeEach(async () => {
  for (const { id } of (await one.get('/v1/ai/models')).body.models) await one.remove(`/ai/models/${id}`);
  await one.put('/ai/markup', { markupPercent: 0 });
});

describe('the AI model list', () => {
  it('lists AI models by id, with prices that include the markup, rounded up', async () => {
    await one.put('/ai/markup', { markupPercent: 20 });
    await one.put('/ai/models/small-2', small);
    await one.put('/ai/models/Large', { ...small, displayName: 'Large' });
    const { status, body, headers } = await one.get('/v1/ai/models');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=3600');
    expect(body.markupPercent).toBe(20);
    expect(body.models.map(({ id }: { id: string }) => id)).toEqual(['Large', 'small-2']);
    expect(body.models[1]).toEqual({
      id: 'small-2',
      displayName: 'Small 2',
      perMillion: { input: 300_000, output: 1_500_002, cacheWrite5m: 4, cacheWrite1h: 0, cacheRead: 30_000 },
    });
  });

  it('changes the ETag of the AI models with the markup, on every instance', async () => {
    await one.put('/ai/models/small-2', small);
    const other = await catalogue.instance();
    const etag = (await other.get('/v1/ai/models')).headers.get('etag') ?? '';
    expect((await other.get('/v1/ai/models', { 'If-None-Match': etag })).status).toBe(304);
    await one.put('/ai/markup', { markupPercent: 7 });
    expect((await one.get('/v1/ai/models')).body.markupPercent).toBe(7);
    await eventually(async () =>
      expect((await other.get('/v1/ai/models', { 'If-None-Match': etag })).body?.markupPercent).toBe(7),
    );
  });

  it('omits a removed model, and answers a second removal with success', async () => {
    await one.put('/ai/models/small-2', small);
    expect((await one.remove('/ai/models/small-2')).status).toBe(204);
    expect((await one.remove('/ai/models/small-2')).status).toBe(204);
    expect((await one.get('/v1/ai/models')).body.models).toEqual([]);
  });
});

describe('managing AI models', () => {
  it('returns a model as stored, without the markup', async () => {
    await one.put('/ai/markup', { markupPercent: 50 });
    expect((await one.put('/ai/models/small-2', small)).body).toEqual({ id: 'small-2', ...small });
    expect((await one.manage('GET', '/ai/models/small-2')).body).toEqual({ id: 'small-2', ...small });
    expect((await one.manage('GET', '/ai/markup')).body).toEqual({ markupPercent: 50 });
    expect((await one.manage('GET', '/ai/models/none')).status).toBe(404);
  });

  it.each([
    ['displayName', { ...small, displayName: '' }],
    ['perMillion.input', { ...small, perMillion: { ...prices, input: -1 } }],
    ['perMillion.output', { ...small, perMillion: { ...prices, output: 1.5 } }],
    ['perMillion.cacheRead', { ...small, perMillion: { ...prices, cacheRead: 2 ** 53 } }],
    ['perMillion', { displayName: 'x' }],
  ])('rejects a model with a wrong %s', async (path, body) => {
    const answer = await one.put('/ai/models/bad', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(new RegExp(`^${path}: `));
  });

  it.each([-1, 1.5, '20', null])('rejects a markup of %j', async (markupPercent) => {
    const answer = await one.put('/ai/markup', { markupPercent });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(/^markupPercent: /);
  });

  it('accepts published prices up to 2^53 - 1 and rejects larger ones', async () => {
    const at = (input: number) => ({ ...small, perMillion: { ...prices, input } });
    expect((await one.put('/ai/models/dear', at(Number.MAX_SAFE_INTEGER))).status).toBe(200);
    expect((await one.get('/v1/ai/models')).body.models[0].perMillion.input).toBe(Number.MAX_SAFE_INTEGER);
    const raised = await one.put('/ai/markup', { markupPercent: 1 });
    expect(raised.status).toBe(400);
    expect(raised.body.error.message).toMatch(/^markupPercent: .*input.*dear/);
    expect((await one.get('/v1/ai/models')).body.markupPercent).toBe(0);
    await one.remove('/ai/models/dear');
    await one.put('/ai/markup', { markupPercent: 1 });
    const refused = await one.put('/ai/models/dear', at(Number.MAX_SAFE_INTEGER));
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toMatch(/^perMillion\.input: /);
  });
});

describe('a published price', () => {
  const base = fc.maxSafeNat();
  const markup = fc.nat({ max: 100_000 });

  it('publishes the smallest integer price not below base x (100 + markup) / 100', () => {
    fc.assert(
      fc.property(base, markup, (price, percent) => {
        const hundredfold = publishedPrice(price, percent) * 100n;
        const exact = BigInt(price) * BigInt(100 + percent);
        expect(hundredfold >= exact && hundredfold - exact < 100n).toBe(true);
      }),
    );
  });

  it('publishes the price itself without a markup, and never a lower one when the markup rises', () => {
    fc.assert(
      fc.property(base, markup, (price, percent) => {
        expect(publishedPrice(price, 0)).toBe(BigInt(price));
        expect(publishedPrice(price, percent + 1) >= publishedPrice(price, percent)).toBe(true);
      }),
    );
  });
});
