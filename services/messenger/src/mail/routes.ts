import { type RateLimit, RateLimited, type ServiceApp } from '@switchboard/http';
import { PAGE_HEADERS, unsubscribePage } from '@switchboard/mail';
import type { Clock } from '@switchboard/runtime';
import { mailLanguage, textsIn } from '../mail-texts/languages.ts';
import type { Publisher } from '../publishing/publisher.ts';
import type { MailAddresses } from './addresses.ts';
import type { MailStore } from './store.ts';

interface MailDeps {
  store: Pick<MailStore, 'languageOf' | 'unsubscribe'>;
  addresses: Pick<MailAddresses, 'unsubscribedBy'>;
  publisher: Pick<Publisher, 'publishToAgents'>;
  /** Limits the requests of an address. */
  limit: RateLimit;
  clock: Clock;
}

export const UNSUBSCRIBE_PATH = '/unsubscribe';

/**
 * Serves the link that ends mails of a conversation. A GET asks, because mail servers follow links. A POST ends them,
 * as mail programs send it (RFC 8058).
 */
export function mailRoutes(app: ServiceApp, deps: MailDeps): void {
  const { store, addresses, publisher, limit, clock } = deps;

  app.hono.on(['GET', 'POST'], `${UNSUBSCRIBE_PATH}/:token`, async (c) => {
    try {
      await limit.consume(c.env.address);
    } catch (error) {
      if (error instanceof RateLimited)
        return c.text('Too many requests.', 429, { ...error.headers, ...PAGE_HEADERS });
      throw error;
    }
    const conversationId = addresses.unsubscribedBy(c.req.param('token'));
    const stored = conversationId && (await store.languageOf(conversationId));
    if (!conversationId || stored === undefined) {
      const language = mailLanguage(c.req.header('accept-language') ?? '');
      return c.html(unsubscribePage(language, textsIn(language).page.expired), 404, PAGE_HEADERS);
    }
    const language = mailLanguage(stored);
    const { ask, confirm, done } = textsIn(language).page;
    if (c.req.method !== 'POST') return c.html(unsubscribePage(language, ask, confirm), 200, PAGE_HEADERS);
    const projectId = await store.unsubscribe(conversationId, clock.now());
    if (projectId !== undefined) publisher.publishToAgents(projectId, { kind: 'changed', conversationId });
    return c.html(unsubscribePage(language, done), 200, PAGE_HEADERS);
  });
}
