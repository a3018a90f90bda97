import { clientAddress } from '@switchboard/http';
import type { Context, Hono } from 'hono';
import type { Hosts } from '../assets/policy.ts';
import type { Cookies } from './cookies.ts';
import type { Limits } from './limits.ts';
import { isOperatorToken } from './operator.ts';
import { isOwnPage } from './own-page.ts';
import { type Provider, Refused, type Tokens } from './provider.ts';

interface SessionOptions {
  provider: Provider;
  renew(refreshToken: string): Promise<Tokens>;
  cookies: Cookies;
  limits: Limits;
  /** The number of trusted proxies in front of the service. */
  trustedHops: number;
  consoleUrl: string;
  hosts: Hosts;
  /** Whether the deployment has pages for operators. */
  hasOperatorPages: boolean;
}

/** Mounts the sign-in, the callback of the provider, and what the page asks for: a token, and the sign-out. */
export function sessionRoutes(app: Hono, options: SessionOptions): void {
  const { provider, renew, cookies, limits, trustedHops, consoleUrl, hosts, hasOperatorPages } = options;
  const { origin } = new URL(consoleUrl);
  const addressOf = (c: Context) => clientAddress(c.req.raw, c.env, trustedHops);

  app.use('/session/*', async (c, next) => {
    c.header('Cache-Control', 'no-store');
    c.header('X-Content-Type-Options', 'nosniff');
    if (c.req.method === 'POST' && !isOwnPage(c, origin))
      return refuse(c, 403, 'FORBIDDEN', 'Only pages of the console may call this address.');
    return next();
  });

  app.get('/session/sign-in', async (c) => {
    await limits.signIn(addressOf(c));
    const { url, attempt } = await provider.start(ownPath(c.req.query('to'), origin));
    await cookies.keepAttempt(c, attempt);
    return c.redirect(url, 303);
  });

  app.get('/signed-in', async (c) => {
    c.header('Cache-Control', 'no-store');
    await limits.signIn(addressOf(c));
    const attempt = await cookies.attempt(c);
    // The sign-in took too long, was started in another tab, or was refused: begin again from the page.
    if (attempt === undefined || c.req.query('state') !== attempt.state) return c.redirect('/', 303);
    try {
      const { refreshToken } = await provider.finish(new URL(c.req.url), attempt);
      await cookies.keepSession(c, refreshToken);
      return c.redirect(attempt.to, 303);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return c.redirect('/signed-out', 303);
    }
  });

  app.post('/session/token', async (c) => {
    await limits.renew(addressOf(c));
    const refreshToken = await cookies.session(c);
    const signedOut = () => refuse(c, 401, 'UNAUTHORIZED', 'Not signed in. Open /session/sign-in.');
    if (refreshToken === undefined) return signedOut();
    try {
      const tokens = await renew(refreshToken);
      if (tokens.refreshToken !== refreshToken) await cookies.keepSession(c, tokens.refreshToken);
      const { accessToken, expiresInSeconds, email } = tokens;
      const isOperator = hasOperatorPages && isOperatorToken(accessToken);
      if (isOperator) await cookies.keepOperator(c, expiresInSeconds);
      else cookies.dropOperator(c);
      return c.json({ accessToken, expiresInSeconds, email, hosts, isOperator });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      cookies.dropSession(c);
      cookies.dropOperator(c);
      return signedOut();
    }
  });

  app.post('/session/sign-out', async (c) => {
    await limits.renew(addressOf(c));
    const refreshToken = await cookies.session(c);
    cookies.dropSession(c);
    cookies.dropOperator(c);
    return c.json({ url: await provider.end(refreshToken) });
  });
}

/** Returns the path to return to; `/` if it is not one of the console. */
function ownPath(to: string | undefined, origin: string): string {
  const url = URL.parse(to ?? '/', origin);
  return url?.origin === origin ? url.pathname + url.search : '/';
}

const refuse = (c: Context, status: 401 | 403, code: string, message: string) =>
  c.json({ error: { code, message } }, status);
