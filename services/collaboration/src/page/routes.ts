import { isUnavailable } from '@switchboard/database';
import { EventLogUnavailable } from '@switchboard/event-log';
import { NotFound, RateLimited, type ServiceApp } from '@switchboard/service-kit';
import { keepNowhere } from '../public-links/routes.ts';
import type { createPage } from './page.ts';
import { renderPlain } from './render.ts';
import { pageHeaders } from './styles.ts';

interface PlainAnswer {
  status: 404 | 429 | 503;
  body: string;
  headers?: Record<string, string>;
}

/** Serves the page that the address of a public link opens. */
export function routePage(app: ServiceApp, page: ReturnType<typeof createPage>): void {
  const notHere = renderPlain('Nothing to see here', 'This link is off, has stopped or never existed.');
  const tooMany = renderPlain(
    'Too many visits',
    'This page was opened often just now. Try again in a minute.',
  );
  const away = renderPlain('Back in a moment', 'This page cannot be shown right now. Try again in a moment.');

  function plainAnswer(error: unknown): PlainAnswer | undefined {
    if (error instanceof NotFound) return { status: 404, body: notHere };
    if (error instanceof RateLimited) return { status: 429, body: tooMany, headers: { ...error.headers } };
    if (error instanceof EventLogUnavailable || isUnavailable(error)) {
      return { status: 503, body: away, headers: { 'Retry-After': '2' } };
    }
    return undefined;
  }

  keepNowhere(app, '/shared/*');
  app.hono.get('/shared/:token', async (c) => {
    try {
      return c.body(await page.read(c.req.param('token'), c.var.address), 200, pageHeaders);
    } catch (error) {
      const answer = plainAnswer(error);
      if (answer === undefined) throw error;
      return c.body(answer.body, answer.status, { ...pageHeaders, ...answer.headers });
    }
  });
}
