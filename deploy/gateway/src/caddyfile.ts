import { OPTIONAL_SERVICE_NAMES, SERVICE_NAMES, type ServiceName } from '@switchboard/contracts';
import { block, type Line, render, setting } from './caddy-syntax.ts';
import { failures, securityHeaders } from './failures.ts';
import { docsPolicy } from './public.ts';
import { type PublicHost, pattern, publicHosts, type Route, routesOf } from './routes.ts';

const ADDRESSES: Record<PublicHost, string> = {
  api: setting('API_ADDRESS', 'http://:4000'),
  events: setting('EVENTS_ADDRESS', 'http://:4001'),
  replay: setting('REPLAY_ADDRESS', 'http://:4002'),
};

/** The console takes no bodies, but the messages of models at `/mcp` of the API host. */
const CONSOLE_BYTES = 16_384;
const MCP_BYTES = 262_144;

const CONSOLE_UPSTREAMS = setting('CONSOLE_UPSTREAMS', '');

/** Generates the Caddyfile. See docs/deploy.md#gateway. */
export async function caddyfile(): Promise<string> {
  const policy = await docsPolicy();
  return render([
    '# Generated from packages/contracts by `node deploy/gateway/src/main.ts`; a test fails when it is stale.',
    '# Variables and design: docs/deploy.md#gateway.',
    globalOptions(),
    upstreamOptions(),
    ...SERVICE_NAMES.flatMap((service) => upstreamsOf(service, `${service}:3000`)),
    '# Without an address, requests for these services get 503.',
    ...OPTIONAL_SERVICE_NAMES.flatMap((service) => upstreamsOf(service, '')),
    block('(console)', [
      block(`reverse_proxy ${CONSOLE_UPSTREAMS}`, ['lb_policy round_robin', 'import upstream']),
    ]),
    common(policy),
    failures(),
    ...publicHosts.map(site),
    consoleSite(),
    metrics(),
  ]);
}

function globalOptions(): Line {
  return block('', [
    `admin ${setting('GATEWAY_ADMIN', 'localhost:2019')}`,
    block('log', [`level ${setting('GATEWAY_LOG_LEVEL', 'INFO')}`, withoutSecrets()]),
    '# After SIGTERM, requests are accepted for this long; then requests in flight have time to finish.',
    `shutdown_delay ${setting('SHUTDOWN_DELAY', '0s')}`,
    'grace_period 15s',
    block('servers', [
      '# Event streams end within 50 minutes.',
      block('timeouts', ['read_header 15s', 'read_body 60s', 'write 1h', 'idle 2m']),
      'max_header_size 32KB',
      'metrics',
    ]),
  ]);
}

/**
 * Removes secrets from Caddy's request logs, including those of clients that disconnect. Headers, addresses and URLs
 * hold credentials and personal data. Removes headers, keeps only the words of our own paths in a URL, and only the
 * network of an IP address.
 */
function withoutSecrets(): Line {
  // Truncates a segment that begins with a word to that word. Reduces any other segment, such as an id, to its slash.
  const url = `regexp "(/(?:${pathWords().join('|')}))[^/?]*|(/)[^/?]*|[?].*" "$1$2"`;
  const network = (field: string) => block(`${field} ip_mask`, ['ipv4 24', 'ipv6 48']);
  return block('format filter', [
    'wrap json',
    block('fields', [
      'request>headers delete',
      'headers delete',
      'resp_headers delete',
      'request>tls delete',
      `request>uri ${url}`,
      `uri ${url}`,
      network('request>remote_ip'),
      network('request>client_ip'),
    ]),
  ]);
}

/** Returns every path segment that is not a parameter, longest first, as regular expressions. */
function pathWords(): string[] {
  const segments = publicHosts.flatMap(routesOf).flatMap(({ path }) => path.split('/').slice(1));
  const words = new Set(segments.filter((segment) => !segment.startsWith('{')));
  return [...words]
    .sort((one, other) => other.length - one.length || (one < other ? -1 : 1))
    .map((word) => word.replaceAll('.', '[.]'));
}

function upstreamOptions(): Line {
  return block('(upstream)', [
    '# Must be shorter than DRAIN_MS, during which a stopping instance reports that it drains.',
    'health_uri /health/serving',
    `health_interval ${setting('HEALTH_INTERVAL', '500ms')}`,
    'health_timeout 5s',
    '# Retries on another instance if the connection failed, and a GET also if the response failed.',
    `lb_try_duration ${setting('RETRY_FOR', '4s')}`,
    'lb_try_interval 100ms',
    `trusted_proxies ${setting('TRUSTED_PROXIES', '192.0.2.1/32')}`,
    block('transport http', [
      'dial_timeout 2s',
      'response_header_timeout 45s',
      '# Shorter than the keep-alive of the services, so that no request meets a closing connection.',
      'keepalive 30s',
      'keepalive_idle_conns_per_host 256',
      'compression off',
      '# For services with TLS_CERT_FILE: docs/security.md.',
      setting('UPSTREAM_TLS', ''),
    ]),
  ]);
}

/**
 * Uses round robin for requests. Sockets are long-lived, so they go to the instance with the fewest connections. If a
 * policy for flags is set, both use it.
 */
function upstreamsOf(service: ServiceName, usual: string): Line[] {
  const upstreams = setting(`${service.toUpperCase()}_UPSTREAMS`, usual);
  const isFlags = service === 'flags';
  const proxy = (balancing: string) => [
    ...(isFlags ? projectKey() : []),
    block(`reverse_proxy ${upstreams}`, [
      `lb_policy ${isFlags ? setting('FLAGS_BALANCING', balancing) : balancing}`,
      'import upstream',
    ]),
  ];
  return [
    block(`(${service})`, proxy('round_robin')),
    ...(routesOf('api').some((route) => route.service === service && route.isSocket)
      ? [block(`(${service}-socket)`, proxy('least_conn'))]
      : []),
  ];
}

/** Copies the key of a request, which can be in three places, to one header for load balancing. */
function projectKey(): Line[] {
  const places = ['header.Authorization', 'header.X-API-Key', 'uri.query.api_key'];
  return [
    `request_header X-Project-Key "${places.map((place) => `{http.request.${place}}`).join('')}"`,
    'request_header X-Project-Key "(?i)^bearer +(.*)$" "$1"',
  ];
}

/** Applies to every request: sets the request id, and rejects dot segments. */
function entry(): Line[] {
  return [
    'header -Server',
    ...securityHeaders(),
    '# Closes connections while the gateway stops, so that no client sends a request on a closing connection.',
    block('@stopping', ['vars {http.shutting_down} true', 'not header Upgrade *']),
    'header @stopping Connection close',
    '@unnamed not header_regexp X-Request-Id ^[A-Za-z0-9._-]{1,128}$',
    'request_header @unnamed X-Request-Id {http.request.uuid}',
    '@dots path_regexp (^|/)\\.\\.?(/|$)',
    'error @dots 404',
  ];
}

/** Applies to every request of an API: serves the API documents and their page. */
function common(policy: string): Line {
  return block('(common)', [
    ...entry(),
    '@described path /openapi.json /asyncapi.json /docs /docs/*',
    block('handle @described', [
      '# Load balancers check their health here.',
      'skip_log',
      `root * ${setting('GATEWAY_PUBLIC', '/srv/public')}`,
      '@documents path /openapi.json /asyncapi.json',
      'header @documents Access-Control-Allow-Origin *',
      'header @documents Content-Type "application/json; charset=utf-8"',
      '@page path /docs /docs/',
      `header @page Content-Security-Policy "${policy}"`,
      'header @page Referrer-Policy no-referrer',
      'header @page Cache-Control no-cache',
      'header /docs/*.js Cache-Control "public, max-age=31536000, immutable"',
      'rewrite @page /docs.html',
      block('file_server', ['precompressed gzip']),
    ]),
  ]);
}

function site(host: PublicHost): Line {
  const routes = routesOf(host);
  const targets = [...new Map(routes.map((route) => [targetOf(route), route])).entries()];
  // Caddy accepts each path once, and two other hosts may serve the same one.
  const named = new Set(routes.map(({ path }) => path));
  const others = publicHosts
    .filter((other) => other !== host)
    .map((other) => {
      const theirs = routesOf(other).filter(({ path }) => !named.has(path));
      for (const { path } of theirs) named.add(path);
      return {
        other: other === 'api' ? 'API' : other,
        name: `on-${other}`,
        routes: theirs,
      };
    });
  return block(ADDRESSES[host], [
    'log',
    'import failures',
    block('route', [
      'import common',
      block('map {http.request.uri} {target} {shape}', [
        ...routes.map(
          (route) =>
            `~${pattern(route.path)} ${targetOf(route)} ${route.shape} # ${route.methods.join(' ')}${route.isSocket ? ' long-lived' : ''}`,
        ),
        ...others.flatMap(({ name, routes: theirs }) =>
          theirs.map(({ path }) => `~${pattern(path)} ${name} B`),
        ),
        'default nothing B',
      ]),
      'vars target {target}',
      'vars shape {shape}',
      ...(host === 'api'
        ? ['@identity path /identity/*', block('handle @identity', ['import identity']), ...models()]
        : []),
      ...targets.flatMap(([target, { service, isSocket, maxBytes }]) => [
        `@${target} vars target ${target}`,
        block(`handle @${target}`, [
          ...(maxBytes === undefined ? [] : [block('request_body', [`max_size ${maxBytes}`])]),
          `import ${service}${isSocket ? '-socket' : ''}`,
        ]),
      ]),
      ...others.flatMap(({ name, other }) => [
        `@${name} vars target ${name}`,
        `error @${name} "the ${other} host" 404`,
      ]),
      'error 404',
    ]),
  ]);
}

/** Serves the Model Context Protocol, which the console does. Without the console, there is no such path. */
function models(): Line[] {
  return [
    block('@mcp', ['path /mcp', `expression \`"${CONSOLE_UPSTREAMS}" != ""\``]),
    block('handle @mcp', [block('request_body', [`max_size ${MCP_BYTES}`]), 'import console']),
  ];
}

/** Serves the console on its own origin. Health and metrics of its instances are not public. */
function consoleSite(): Line {
  return block(setting('CONSOLE_ADDRESS', 'http://:4004'), [
    'log',
    'import failures',
    block('route', [
      'vars shape B',
      ...entry(),
      '@own path /health/* /metrics',
      'error @own 404',
      block('request_body', [`max_size ${CONSOLE_BYTES}`]),
      'import console',
    ]),
  ]);
}

/** Serves metrics for Prometheus on a dedicated port. */
function metrics(): Line {
  return block(setting('METRICS_ADDRESS', 'http://:4009'), [
    block('handle /metrics', ['metrics']),
    block('handle', ['respond 404']),
  ]);
}

const targetOf = ({ service, isSocket, maxBytes }: Route) =>
  isSocket ? `${service}-socket` : `${service}-${maxBytes}`;
