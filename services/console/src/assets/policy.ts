/** The public addresses of the deployment that the page calls. */
export interface Hosts {
  api: string;
  events: string;
  replay: string;
}

/** Returns the headers of the page: nothing but its own files, and calls to the deployment's hosts. */
export function pageHeaders(hosts: Hosts): Record<string, string> {
  const origins = [...new Set(Object.values(hosts).map((url) => new URL(url).origin))];
  const sockets = origins.map((origin) => origin.replace(/^http/, 'ws'));
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    ["img-src 'self' data:", ...origins].join(' '),
    ["connect-src 'self'", ...origins, ...sockets].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  };
}
