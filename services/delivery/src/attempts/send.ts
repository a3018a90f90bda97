import { type Clock, type Encryption, type Send, SendFailed } from '@switchboard/runtime';
import type { BodyFor } from '../chat/bodies.ts';
import { signingSecrets, urlOf } from '../webhooks/secrets.ts';
import type { Attempt } from './outcome.ts';
import { signedHeaders } from './signature.ts';
import type { Claimed } from './store.ts';

interface SendOptions {
  send: Send;
  encryption: Encryption;
  clock: Clock;
  bodyFor: BodyFor;
}

const USER_AGENT = 'Switchboard-Webhooks/1.0 (+https://www.standardwebhooks.com)';

/** Returns a function that sends a message once. It rejects only if the signal aborts or a secret cannot be read. */
export function createAttempt({ send, encryption, clock, bodyFor }: SendOptions) {
  return async ({ id, body: stored, webhook }: Claimed, signal: AbortSignal): Promise<Attempt> => {
    const at = clock.now();
    const [url, secrets] = await Promise.all([
      urlOf(encryption, webhook),
      signingSecrets(encryption, webhook, at),
    ]);
    const body = await bodyFor(webhook, stored);
    const started = performance.now();
    const done = (answer: Pick<Attempt, 'status' | 'error' | 'response' | 'retryAfter'>): Attempt => ({
      at,
      ...answer,
      durationMs: Math.round(performance.now() - started),
    });
    try {
      const response = await send(url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': USER_AGENT,
          ...signedHeaders({ id, body }, secrets, at),
        },
        body,
        redirect: 'manual',
        signal,
      });
      return done({
        status: response.status,
        error: null,
        response: storable(await response.text()),
        retryAfter: response.headers.get('Retry-After'),
      });
    } catch (error) {
      if (!(error instanceof SendFailed)) throw error;
      return done({ status: null, error: error.message, response: null, retryAfter: null });
    }
  };
}

/** PostgreSQL rejects zero characters. */
const storable = (text: string) => text.replaceAll('\0', '\u{FFFD}');
