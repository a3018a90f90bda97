import { z } from 'zod';
import { httpUrl, networkList } from './fields.ts';

/** Settings of requests to servers outside this deployment. */
export const outgoingSettings = {
  OUTGOING_PRIVATE_NETWORKS: networkList.describe(
    'Private networks that AUTH_JWKS_URL and other URLs of these settings may be in; other private networks are blocked.',
  ),
  OUTGOING_PROXY_URL: httpUrl
    .optional()
    .meta({ values: 'URL', secret: true })
    .describe(
      'Proxy for requests to the identity provider, push endpoints and other providers. It resolves names, so it must block private networks.',
    ),
  OUTGOING_PROXY_BYPASS: z
    .string()
    .optional()
    .meta({ values: 'host names' })
    .describe('Hosts reached without the proxy, with their subdomains.'),
};

/** Settings of requests to the URLs of webhooks, which members choose. */
export const webhookSettings = {
  WEBHOOK_PRIVATE_NETWORKS: networkList.describe(
    'Private networks that webhooks may send to. Members choose URLs, so list only networks of your own receivers.',
  ),
};

export type OutgoingConfig = z.output<z.ZodObject<typeof outgoingSettings>>;
