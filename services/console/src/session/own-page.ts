import type { Context } from 'hono';

/** Whether a page of the console sent the request. Browsers without Sec-Fetch-Site send Origin with every POST. */
export function isOwnPage(c: Context, origin: string): boolean {
  const site = c.req.header('sec-fetch-site');
  return site === undefined ? c.req.header('origin') === origin : site === 'same-origin';
}
