import { createHmac } from 'node:crypto';
import { secretBytes } from '../webhooks/secrets.ts';

/** Returns the headers of Standard Webhooks 1.0.0, with a signature for each secret. */
export function signedHeaders(
  { id, body }: { id: string; body: string },
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const sign = (secret: string) =>
    createHmac('sha256', secretBytes(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  };
}
