import { isIP } from 'node:net';

type Fetch = (request: Request, env: object) => Response | Promise<Response>;

interface LocalAccessOptions {
  /** The names of this machine, besides `localhost` and IP addresses. */
  hosts: readonly string[];
  /** Whether to also reject pages of other origins, and requests that these can post without a preflight. */
  ownPagesOnly: boolean;
}

/**
 * Protects a port of a developer's machine against web pages in its browser. A page can make its own name resolve to
 * 127.0.0.1 (DNS rebinding), but its requests still carry that name as `Host`. Requests to other origins carry the
 * page's `Origin`.
 */
export function localAccess(fetch: Fetch, { hosts, ownPagesOnly }: LocalAccessOptions): Fetch {
  const names = new Set(['localhost', ...hosts.map((host) => host.toLowerCase())]);
  return (request, env) => {
    const host = hostOf(request);
    if (host === undefined || !(names.has(host) || isAddress(host))) {
      return refuse(
        'This Host is not allowed. Use localhost or an IP address, or add the name to ALLOWED_HOSTS.',
      );
    }
    if (ownPagesOnly && isForeignPage(request)) return refuse(FOREIGN_PAGE);
    if (ownPagesOnly && isFormPost(request)) return refuse(JSON_ONLY, 415, 'BAD_REQUEST');
    return fetch(request, env);
  };
}

export const FOREIGN_PAGE = 'Web pages of other origins cannot call this address.';

/** Returns whether the request comes from a web page that this machine does not serve. */
export function isForeignPage(request: Request): boolean {
  const origin = request.headers.get('origin');
  if (origin === null) return false;
  const page = hostnameOf(origin);
  return page === undefined || !(page === hostOf(request) || isLoopback(page));
}

export const JSON_ONLY = 'Send the body as Content-Type: application/json.';

/** The content types that a web page can post to any address without a preflight request. */
const FORM_TYPES = /^ *(text\/plain|application\/x-www-form-urlencoded|multipart\/form-data) *(;|$)/i;

function isFormPost(request: Request): boolean {
  return request.method === 'POST' && FORM_TYPES.test(request.headers.get('content-type') ?? '');
}

/** Parses the setting ALLOWED_HOSTS: names, separated by commas. */
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
