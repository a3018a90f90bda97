import { isIP } from 'node:net';

type Fetch = (request: Request, env: object) => Response | Promise<Response>;

interface LocalAccessOptions {
  /** Names by which this machine is addressed, besides `localhost` and IP addresses. */
  hosts: readonly string[];
  /** Whether pages of other origins are refused too, and what they can post without asking first. */
  ownPagesOnly: boolean;
}

/**
 * Guards a port of a developer's machine against the web pages that its browser shows. A page can make its own name
 * resolve to 127.0.0.1 (DNS rebinding), but its requests still carry that name as `Host`; and requests to other origins
 * carry the page's `Origin`.
 */
export function localAccess(fetch: Fetch, { hosts, ownPagesOnly }: LocalAccessOptions): Fetch {
  const names = new Set(['localhost', ...hosts.map((host) => host.toLowerCase())]);
  return (request, env) => {
    const host = hostOf(request);
    if (host === undefined || !(names.has(host) || isAddress(host))) {
      return refuse(
        'This Host is not served here. Use localhost or an IP address, or add the name to ALLOWED_HOSTS.',
      );
    }
    if (ownPagesOnly && isForeignPage(request)) return refuse(FOREIGN_PAGE);
    if (ownPagesOnly && isFormPost(request)) return refuse(JSON_ONLY, 415, 'BAD_REQUEST');
    return fetch(request, env);
  };
}

export const FOREIGN_PAGE = 'Web pages of other origins may not call this address.';

/** Whether a web page sent the request that this machine does not serve. */
export function isForeignPage(request: Request): boolean {
  const origin = request.headers.get('origin');
  if (origin === null) return false;
  const page = hostnameOf(origin);
  return page === undefined || !(page === hostOf(request) || isLoopback(page));
}

export const JSON_ONLY = 'Send the body as Content-Type: application/json.';

/** The types that a web page can post to any address without a preflight request. */
const FORM_TYPES = /^ *(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data) *(;|$)/i;

function isFormPost(request: Request): boolean {
  return request.method === 'POST' && FORM_TYPES.test(request.headers.get('content-type') ?? '');
}

/** The setting ALLOWED_HOSTS: names, comma separated. */
export function allowedHosts(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

const hostOf = (request: Request) => hostnameOf(`http://${request.headers.get('host')}`);

function hostnameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') || undefined;
}

const isAddress = (host: string) => isIP(host) !== 0;
const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

function refuse(message: string, status = 403, code = 'FORBIDDEN'): Response {
  return Response.json({ error: { code, message } }, { status });
}
