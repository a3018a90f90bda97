import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ingestionTopics } from './records.ts';
import { MAX_STATE_TOKENS, readStateTokens, stateToken } from './state-token.ts';

const positions = fc.record({
  topic: fc.constantFrom(ingestionTopics.identifies, ingestionTopics.groups),
  partition: fc.nat(1_000_000),
  offset: fc.nat(1_000_000_000_000_000),
});

describe('a state token', () => {
  it('decodes a state token to its position, alone or in a list, and encodes it URL-safe', () => {
    fc.assert(
      fc.property(fc.array(positions, { maxLength: MAX_STATE_TOKENS }), (all) => {
        const tokens = all.map(stateToken);
        for (const token of tokens) expect(token).toMatch(/^[0-9a-z-]{5,18}$/);
        expect(readStateTokens(tokens.join(', '))).toEqual(all);
      }),
    );
  });

  it('ignores an invalid state token', () => {
    const good = stateToken({ topic: 'identifies', partition: 2, offset: 40 });
    for (const bad of ['', 'x', 'e-1-1', 'i-1', 'i--1', 'i-1-1-1', 'I-1-1', 'i-1-ä', 'i-111111-1', 'null']) {
      expect(readStateTokens(bad)).toEqual([]);
      expect(readStateTokens(`${bad},${good}`)).toEqual([{ topic: 'identifies', partition: 2, offset: 40 }]);
    }
    fc.assert(fc.property(fc.string(), (text) => void readStateTokens(text)));
  });

  it('reads state tokens up to the maximum number', () => {
    const many = Array.from({ length: 10_000 }, () => 'i-1-1').join(',');
    expect(readStateTokens(many)).toHaveLength(MAX_STATE_TOKENS);
  });
});
