import { isUnavailable } from '@switchboard/database';
import { EventLogUnavailable } from '@switchboard/event-log';
import { chooseEncoding, NotFound, RateLimited, type ServiceApp, Unavailable } from '@switchboard/http';
import { keepPrivate, PRIVATE_HEADERS } from '../shared-links/keep-private.ts';
import type { Page } from './page.ts';
import { renderPlain } from './render/render.ts';
import { pageHeaders } from './render/styles.ts';
import { languageOf, type PageLanguage } from './texts/languages.ts';

interface PlainResponse {
  status: 404 | 429 | 503;
  body: string;
  headers?: Record<string, string>;
}

export function pageRoutes(app: ServiceApp, { page }: { page: Page }): void {
  function plainResponse(error: unknown, language: PageLanguage): PlainResponse | undefined {
    const locale = page.locale(language);
    const { missing, busy, unavailable } = locale.texts;
    if (error instanceof NotFound) return { status: 404, body: renderPlain(missing, locale) };
    if (error instanceof RateLimited) {
      return { status: 429, body: renderPlain(busy, locale), headers: { ...error.headers } };
    }
    if (error instanceof Unavailable || error instanceof EventLogUnavailable || isUnavailable(error)) {
      return { status: 503, body: renderPlain(unavailable, locale), headers: { 'Retry-After': '2' } };
    }
    return undefined;
  }

  const headers = { ...pageHeaders, ...PRIVATE_HEADERS };
  keepPrivate(app, '/shared/*');
  app.hono.get('/shared/:token', async (c) => {
    const { address } = c.env;
    const token = c.req.param('token');
    const language = languageOf(c.req.header('accept-language'));
    try {
      if (c.req.query('format') !== 'csv') {
        const encoding = chooseEncoding(c.req.header('accept-encoding'));
        const encoded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
        return c.body(await page.read(token, address, language, encoding), 200, { ...headers, ...encoded });
      }
      const values = await page.values(token, address, language, Number(c.req.query('tile') ?? 0));
      if (values === undefined) throw new NotFound('This report has no values to download.');
      return c.body(values.csv, 200, { ...headers, ...fileHeaders(values.name) });
    } catch (error) {
      const plain = plainResponse(error, language);
      if (plain === undefined) throw error;
      return c.body(plain.body, plain.status, { ...headers, ...plain.headers });
    }
  });
}

const NOT_IN_EXTENDED_VALUES = /[!'()*]/g;

/**
 * Returns headers that save the response under that name. Clients that support only ASCII names save
 * `report.csv`.
 */
function fileHeaders(name: string) {
  const encoded = encodeURIComponent(`${name.toWellFormed()}.csv`).replaceAll(
    NOT_IN_EXTENDED_VALUES,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="report.csv"; filename*=UTF-8''${encoded}`,
  };
}
