import { BadRequest, type OperationEnv, RateLimited } from '@switchboard/http';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { MOUNT, type Page, renderPage } from '../pages/document.ts';
import { textsOf } from '../pages/texts/languages.ts';
import { SESSION_DAYS } from '../sessions/sessions.ts';

export type BrowserContext = Context<OperationEnv>;

const MAX_FORM_BYTES = 32_768;
const COOKIE = 'switchboard_session';
const DEVICE_COOKIE = 'switchboard_device';
const DEVICE_DAYS = 180;

/** Reads requests of browsers and writes their responses. */
export interface Browser {
  /** Rejects requests that another site caused, and bodies that no form sends. Shows failures as a page. */
  guard: MiddlewareHandler<OperationEnv>[];
  page(c: BrowserContext, page: Page, status?: 200 | 400 | 403 | 404 | 429): Response;
  /** Returns the value of the session's cookie. */
  cookie(c: BrowserContext): string | undefined;
  setCookie(c: BrowserContext, value: string): void;
  /** Returns the value of the cookie of a browser that has signed in before. */
  device(c: BrowserContext): string | undefined;
  setDevice(c: BrowserContext, value: string): void;
}

interface BrowserOptions {
  issuer: string;
  headers: Readonly<Record<string, string>>;
}

export function createBrowser({ issuer, headers }: BrowserOptions): Browser {
  const { origin, protocol } = new URL(issuer);
  const cookieOptions = {
    path: MOUNT,
    httpOnly: true,
    secure: protocol === 'https:',
    sameSite: 'Lax',
    maxAge: SESSION_DAYS * 86_400,
  } as const;

  const page: Browser['page'] = (c, content, status = 200) =>
    c.body(renderPage(content), status, { ...headers });

  function refusal(c: BrowserContext, title: string, status: 400 | 403 | 429): Response {
    return page(c, { title, body: [] }, status);
  }

  /** PostgreSQL stores no NUL. */
  const withoutNul: MiddlewareHandler<OperationEnv> = async (c, next) => {
    if (c.req.url.includes('%00')) return refusal(c, textsOf().failed, 400);
    return next();
  };

  const sameSite: MiddlewareHandler<OperationEnv> = async (c, next) => {
    if (c.req.method === 'GET' || isFromPage(c, origin)) return next();
    return refusal(c, textsOf().failed, 403);
  };

  const failures: MiddlewareHandler<OperationEnv> = async (c, next) => {
    await next();
    if (c.error instanceof RateLimited) {
      c.res = page(c, { title: textsOf().failed, problem: textsOf().tooMany, body: html`` }, 429);
      for (const [name, value] of Object.entries(c.error.headers ?? {})) c.res.headers.set(name, value);
    }
    if (c.error instanceof BadRequest) c.res = refusal(c, textsOf().failed, 400);
  };

  return {
    guard: [failures, withoutNul, sameSite, bodyLimit({ maxSize: MAX_FORM_BYTES })],
    page,
    cookie: (c) => getCookie(c, COOKIE),
    setCookie: (c, value) => setCookie(c, COOKIE, value, cookieOptions),
    device: (c) => getCookie(c, DEVICE_COOKIE),
    setDevice: (c, value) =>
      setCookie(c, DEVICE_COOKIE, value, { ...cookieOptions, maxAge: DEVICE_DAYS * 86_400 }),
  };
}

/** Returns the value of the session's cookie in a Cookie header. */
export const sessionCookieIn = (header: string | undefined): string | undefined =>
  new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]*)`).exec(header ?? '')?.[1];

/** Whether a page of this service sent the request. Browsers add one of these headers to every form and fetch. */
function isFromPage(c: BrowserContext, origin: string): boolean {
  const site = c.req.header('sec-fetch-site');
  return site === undefined ? c.req.header('origin') === origin : site === 'same-origin';
}

/** Returns the text fields of a form. Throws BadRequest for NUL, which PostgreSQL does not store. */
export async function fieldsOf(c: BrowserContext): Promise<Partial<Record<string, string>>> {
  const body = await c.req.parseBody();
  if (Object.values(body).some((value) => typeof value === 'string' && value.includes('\0')))
    throw new BadRequest('a field contains a NUL character');
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
