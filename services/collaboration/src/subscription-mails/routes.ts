import { type RateLimit, RateLimited, type ServiceApp } from '@switchboard/http';
import { PAGE_HEADERS, unsubscribePage } from '@switchboard/mail';
import { keepPrivate, PRIVATE_HEADERS } from '../shared-links/keep-private.ts';
import type { MailLinks } from './links.ts';
import type { Subscribers } from './subscribers.ts';

interface MailRoutesDeps {
  links: Pick<MailLinks, 'subscriberOf'>;
  subscribers: Subscribers;
  /** Limits the requests of an address. */
  limit: RateLimit;
}

/** Serves the links in mails of subscriptions. */
export function subscriptionMailsRoutes(
  app: ServiceApp,
  { links, subscribers, limit }: MailRoutesDeps,
): void {
  keepPrivate(app, '/shared/mails/*');

  async function isLimited(address: string): Promise<Response | undefined> {
    try {
      await limit.consume(address);
      return undefined;
    } catch (error) {
      if (!(error instanceof RateLimited)) throw error;
      const headers = { ...error.headers, ...PAGE_HEADERS };
      return new Response('Too many requests.', { status: 429, headers });
    }
  }

  const page = (text: string, button?: string) => unsubscribePage('en', text, button);
  const INVALID = 'This link is not valid.';

  app.hono.get('/shared/mails/:token', async (c) => {
    const limited = await isLimited(c.env.address);
    if (limited !== undefined) return limited;
    const subscriber = await links.subscriberOf(c.req.param('token'));
    const address = subscriber && (await subscribers.open(subscriber));
    if (address === undefined) return c.html(page(INVALID), 404, PAGE_HEADERS);
    return c.body(null, 302, { ...PRIVATE_HEADERS, Location: address });
  });

  // A GET asks, because mail servers follow links. A POST ends the mails, as mail programs send it (RFC 8058).
  app.hono.on(['GET', 'POST'], '/shared/mails/:token/unsubscribe', async (c) => {
    const limited = await isLimited(c.env.address);
    if (limited !== undefined) return limited;
    const subscriber = await links.subscriberOf(c.req.param('token'));
    const name = subscriber && (await subscribers.nameOf(subscriber));
    if (subscriber === undefined || name === undefined) return c.html(page(INVALID), 404, PAGE_HEADERS);
    if (c.req.method !== 'POST') {
      return c.html(page(`Stop mails about “${name}”?`, 'Unsubscribe'), 200, PAGE_HEADERS);
    }
    await subscribers.unsubscribe(subscriber);
    return c.html(page(`You will get no more mails about “${name}”.`), 200, PAGE_HEADERS);
  });
}
