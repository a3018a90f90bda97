import { describe, expect, it } from 'vitest';
import { createMailAddresses, newMailKey } from './addresses.ts';

const ID = 'cnv_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f';
const DAY_MS = 86_400_000;
const time = { now: Date.parse('2026-11-27T12:00:00Z') };
const clock = { now: () => new Date(time.now) };
const of = (...secrets: string[]) => createMailAddresses({ domain: 'Replies.example', secrets, clock });
const addresses = of('a secret');

describe('a signed address', () => {
  it('stands for its conversation, in any case, and fits the length of addresses', () => {
    const reply = addresses.forReplies(ID);
    expect(reply.indexOf('@')).toBeLessThanOrEqual(64);
    for (const given of [reply, reply.toUpperCase(), reply.toLowerCase()])
      expect(addresses.recipientOf(given)).toEqual({ kind: 'reply', conversationId: ID });
    expect(addresses.recipientOf(addresses.forBounces(ID))).toEqual({ kind: 'bounce', conversationId: ID });
  });

  it('is unknown with any character changed, in another domain, or as a link', () => {
    const reply = addresses.forReplies(ID);
    for (let at = 0; at < reply.indexOf('@'); at++) {
      const other = reply[at] === '0' ? '1' : '0';
      expect(addresses.recipientOf(`${reply.slice(0, at)}${other}${reply.slice(at + 1)}`)).toBeUndefined();
    }
    expect(addresses.recipientOf(reply.replace('Replies', 'other'))).toBeUndefined();
    expect(addresses.recipientOf(`${addresses.unsubscribeToken(ID)}@Replies.example`)).toBeUndefined();
    expect(addresses.unsubscribedBy(reply.slice(0, reply.indexOf('@')))).toBeUndefined();
    for (const strange of ['', '@', 'r@', `${'r'.repeat(10_000)}@Replies.example`])
      expect(addresses.recipientOf(strange)).toBeUndefined();
  });

  it('expires after 90 days', () => {
    const reply = addresses.forReplies(ID);
    time.now += 90 * DAY_MS;
    expect(addresses.recipientOf(reply)).toBeDefined();
    time.now += DAY_MS;
    expect(addresses.recipientOf(reply)).toBeUndefined();
  });

  it('stays valid while its secret is one of several', () => {
    const reply = addresses.forReplies(ID);
    expect(of('a new secret', 'a secret').recipientOf(reply)).toBeDefined();
    expect(of('a new secret').recipientOf(reply)).toBeUndefined();
  });
});

it('finds the secret part of the address of a project', () => {
  const key = newMailKey();
  expect(addresses.recipientOf(addresses.ofProject(key))).toEqual({ kind: 'project', key });
});
