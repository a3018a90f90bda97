import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Provider, Refused, type Tokens } from './provider.ts';

const MAX_SESSIONS = 10_000;
/** A browser may lose the response to a renewal, and sends the used token again. */
const KEPT_MS = 60_000;

/**
 * Renews access tokens once for each refresh token, and answers repeats with the same result for a minute. Providers
 * end a session if a used token arrives, which a lost response or two tabs would cause. Between instances, tabs take
 * turns by a lock of the browser.
 */
export function createRenewals({ refresh }: Pick<Provider, 'refresh'>): (token: string) => Promise<Tokens> {
  const renewed = new LRUCache<string, Promise<Tokens>>({ max: MAX_SESSIONS, ttl: KEPT_MS });
  return (token) => {
    const key = createHash('sha256').update(token).digest('base64url');
    const known = renewed.get(key);
    if (known !== undefined) return known;
    const tokens = refresh(token);
    renewed.set(key, tokens);
    tokens.catch((error) => {
      if (!(error instanceof Refused)) renewed.delete(key);
    });
    return tokens;
  };
}
