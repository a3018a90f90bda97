import { pause } from '@switchboard/resilience';

/** How long services may take to learn of a new project and its key, after catalogue. */
export const PROPAGATION_MS = 60_000;
const RETRY_MS = 50;
const DAY_MS = 24 * 60 * 60 * 1000;
const LINK_DAYS = 60;

/** Returns the last day of the demo's public links. */
export const expiryOfLinks = () => new Date(Date.now() + LINK_DAYS * DAY_MS).toISOString().slice(0, 10);

/**
 * Sends a request. Retries while the service is unavailable or does not know the project or its key yet.
 * Throws the status and the reason if the request is rejected.
 */
export async function request(
  method: string,
  url: string,
  credential: string,
  { body, headers = {} }: { body?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> } = {},
): Promise<Response> {
  const deadline = performance.now() + PROPAGATION_MS;
  for (;;) {
    const response = await fetch(url, {
      method,
      headers: {
        Authorization: `Bearer ${credential}`,
        ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    if (response.ok) return response;
    const reason = (await response.text()) || response.headers.get('x-error') || 'no reason given';
    if (![401, 404, 503].includes(response.status) || performance.now() > deadline) {
      throw new Error(`${method} ${new URL(url).pathname}: ${response.status} ${reason}`);
    }
    await pause(RETRY_MS);
  }
}
