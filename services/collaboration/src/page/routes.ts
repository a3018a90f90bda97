import { isUnavailable } from '@switchboard/database';
import { EventLogUnavailable } from '@switchboard/event-log';
import { NotFound, RateLimited, type ServiceApp } from '@switchboard/service-kit';
import { keepPrivate, PRIVATE_HEADERS } from '../shared-reports/keep-private.ts';
import type { Page } from './page.ts';
import { renderPlain } from './render/render.ts';
import { pageHeaders } from './render/styles.ts';

interface PlainResponse {
  status: 404 | 429 | 503;
  body: string;
  headers?: Record<string, string>;
}

export function pageRoutes(app: ServiceApp, { page }: { page: Page }): void {
  const notFound = renderPlain('Nothing to see here', 'This link is off, has expired or never existed.');
  const rateLimited = renderPlain(
    'Too many visits',
    'This page was opened often just now. Try again in a minute.',
  );
  const unavailable = renderPlain(
    'Back in a moment',
    'This page cannot be shown right now. Try again in a moment.',
  );

  function plainResponse(error: unknown): PlainResponse | undefined {
    if (error instanceof NotFound) return { status: 404, body: notFound };
    if (error instanceof RateLimited)
      return { status: 429, body: rateLimited, headers: { ...error.headers } };
    if (error instanceof EventLogUnavailable || isUnavailable(error)) {
      return { status: 503, body: unavailable, headers: { 'Retry-After': '2' } };
    }
    return undefined;
  }

  const headers = { ...pageHeaders, ...PRIVATE_HEADERS };
  keepPrivate(app, '/shared/*');
  app.hono.get('/shared/:token', async (c) => {
    try {
      return c.body(await page.read(c.req.param('token'), c.env.address), 200, headers);
    } catch (error) {
      const plain = plainResponse(error);
      if (plain === undefined) throw error;
      return c.body(plain.body, plain.status, { ...headers, ...plain.headers });
    }
  });
}
