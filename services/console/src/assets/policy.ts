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
    // The document of the player.
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The address of the service worker.
    'trusted-types push-worker',
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  };
}

/** The headers of the service worker, which makes no request. */
export const WORKER_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Returns the headers of the document that plays recordings: no origin, no connections, and no script but its own.
 * `images` also allows recorded images of other sites.
 */
export function playerHeaders(script: string, { images }: { images: boolean }): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src ${script}`,
    // Recorded pages have style attributes and elements.
    "style-src 'unsafe-inline'",
    images ? 'img-src data: https:' : 'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ];
  return sandboxHeaders(policy);
}

/** Returns the headers of the document that shows the widget: no origin, no connections, and pictures of the API. */
export function previewHeaders(script: string, apiUrl: string): Record<string, string> {
  return sandboxHeaders([
    "default-src 'none'",
    `script-src ${script}`,
    `img-src data: ${new URL(apiUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    // Without it, browsers send no submit event to the widget. The policy above lets no form leave.
    'sandbox allow-scripts allow-forms',
  ]);
}

const sandboxHeaders = (policy: readonly string[]): Record<string, string> => ({
  'Content-Security-Policy': policy.join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-DNS-Prefetch-Control': 'off',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), geolocation=(), microphone=(), autoplay=(), fullscreen=(), clipboard-write=()',
});
