import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** The signature of a call, checked once its body is read. */
export interface Signature {
  /** Whether the body was signed with a secret. */
  matches(secret: string, body: string): boolean;
}

/** The headers in which monitors send the HMAC-SHA256 of the body as hexadecimal digits. */
const HEX_HEADERS = ['Sentry-Hook-Signature', 'X-Grafana-Alerting-Signature', 'X-Hub-Signature-256'];
/** GitHub names the method before the digits. */
const METHOD = /^sha256=/;
const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** Returns the signature of a call by its headers, or undefined if it has none. */
export function signatureOf(header: (name: string) => string | undefined): Signature | undefined {
  for (const name of HEX_HEADERS) {
    const digits = header(name)?.replace(METHOD, '');
    if (digits !== undefined) return { matches: (secret, body) => isHmac(digits, secret, body) };
  }
  const standard = STANDARD_HEADERS.map((name) => [name, header(name) ?? ''] as const);
  if (standard.some(([, value]) => value === '')) return undefined;
  return { matches: (secret, body) => isStandard(Object.fromEntries(standard), secret, body) };
}

function isHmac(digits: string, secret: string, body: string): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(digits);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Checks a signature of Standard Webhooks, which is valid for five minutes. */
function isStandard(headers: Record<string, string>, secret: string, body: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    // The secret is not base64, the time is another one, or the signature differs.
    return false;
  }
}
