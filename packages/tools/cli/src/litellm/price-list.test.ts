import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { microDollarsPerMillion } from './micro-dollars.ts';
import { PriceListError, readPriceList } from './price-list.ts';

describe('a price in dollars per token', () => {
  test.each([
    [3e-6, 3_000_000],
    [1.5e-7, 150_000],
    [0.00000035, 350_000],
    [1.1e-6, 1_100_000], // 1.1e-6 * 1e12 is 1100000.0000000002 in floating point
    [2.9e-7, 290_000],
    [0, 0],
    ['0.0000012', 1_200_000],
    [1e-12, 1],
    [1e-13, 1],
    [1.01e-12, 2],
    [60, 60_000_000_000_000],
  ])('converts a price of %s to %i micro-dollars per million tokens', (given, price) => {
    expect(microDollarsPerMillion(given)).toBe(price);
  });

  test.each([-1e-6, Number.NaN, Number.POSITIVE_INFINITY, 'free', '', 1e300, '1e999999999'])(
    'reads no price from %s',
    (given) => {
      expect(microDollarsPerMillion(given)).toBeUndefined();
    },
  );

  test('converts a price to the exact decimal of the list, regardless of its digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: 6, max: 12 }), (digits, places) => {
        const written = `${digits}e-${places}`;
        const exact = digits * 10 ** (12 - places);
        expect(microDollarsPerMillion(JSON.parse(written))).toBe(exact);
        expect(microDollarsPerMillion(written)).toBe(exact);
      }),
    );
  });
});

const source = JSON.stringify({
  sample_spec: { litellm_provider: 'one of https://docs', input_cost_per_token: 0, mode: 'one of chat, ...' },
  'claude-x': {
    litellm_provider: 'anthropic',
    mode: 'chat',
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.5e-5,
    cache_creation_input_token_cost: 3.75e-6,
    cache_creation_input_token_cost_above_1hr: 6e-6,
    cache_read_input_token_cost: 3e-7,
    max_tokens: 8192,
  },
  'openai/gpt-x': {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 1e-6,
    output_cost_per_token: 2e-6,
  },
  'openai/pictures': { litellm_provider: 'openai', mode: 'image_generation', output_cost_per_image: 0.04 },
  'openai/by-second': { litellm_provider: 'openai', mode: 'chat', input_cost_per_second: 0.1 },
  'odd.name': {
    litellm_provider: 'other',
    mode: 'chat',
    input_cost_per_token: -1,
    output_cost_per_token: 1e-6,
  },
});

const idsOf = (wanted: { providers?: string[]; only?: string[]; modes?: string[] }) =>
  readPriceList(source, { providers: [], only: [], ...wanted }).models.map(({ id }) => id);

describe('a price list', () => {
  test('gives each model five prices, and uses the input price for a missing cache price', () => {
    const { models } = readPriceList(source, { providers: [], only: [] });
    expect(models).toEqual([
      {
        id: 'claude-x',
        perMillion: {
          input: 3_000_000,
          output: 15_000_000,
          cacheWrite5m: 3_750_000,
          cacheWrite1h: 6_000_000,
          cacheRead: 300_000,
        },
      },
      {
        id: 'openai/gpt-x',
        perMillion: {
          input: 1_000_000,
          output: 2_000_000,
          cacheWrite5m: 1_000_000,
          cacheWrite1h: 1_000_000,
          cacheRead: 1_000_000,
        },
      },
    ]);
  });

  test('reports matching models without an importable price', () => {
    expect(readPriceList(source, { providers: [], only: [] }).skipped).toEqual([
      { id: 'openai/by-second', reason: 'no price per token for input and output' },
      { id: 'odd.name', reason: 'a price is negative or too high' },
    ]);
  });

  test('filters a price list by provider, name and mode', () => {
    expect(idsOf({ providers: ['openai', 'mistral'] })).toEqual(['openai/gpt-x']);
    expect(idsOf({ only: ['claude-*'] })).toEqual(['claude-x']);
    expect(idsOf({ only: ['*x'] })).toEqual(['claude-x', 'openai/gpt-x']);
    expect(idsOf({ only: ['claude'] })).toEqual([]);
    expect(idsOf({ only: ['oddXname'] })).toEqual([]);
    expect(idsOf({ modes: ['image_generation'] })).toEqual([]);
  });

  test.each(['not json', '[]', '"text"'])('refuses a price list that is %s', (text) => {
    expect(() => readPriceList(text, { providers: [], only: [] })).toThrow(PriceListError);
  });
});
