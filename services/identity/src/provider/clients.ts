import { jsonText } from '@switchboard/runtime';
import type { ClientMetadata } from 'oidc-provider';
import { z } from 'zod';

const client = z.strictObject({
  id: z.string().regex(/^[\w.-]{1,100}$/, 'not up to 100 letters, digits, _, . or -'),
  name: z.string().min(1).max(100),
  /** Without one, the client is public. */
  secret: z.string().min(32).optional(),
  redirectUris: z.array(z.url()).min(1),
  signedOutUris: z.array(z.url()).default([]),
  /** Whether it gets access tokens of the API. Its people are asked for consent otherwise. */
  api: z.boolean().default(false),
});

/** An application that people sign in to. */
export type Client = z.output<typeof client>;

/** A setting with a JSON array of clients. */
export const clientList = jsonText.pipe(z.array(client)).default([]).meta({ values: 'JSON', secret: true });

export const CONSOLE_CLIENT = 'console';
export const COMMAND_CLIENT = 'switchboard';

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Returns the metadata of every client: the console, the command and those of the settings. */
export function clientMetadata(clients: readonly Client[], consoleUrl: string): ClientMetadata[] {
  return [
    {
      client_id: CONSOLE_CLIENT,
      client_name: 'Switchboard console',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [`${consoleUrl}/signed-in`],
      post_logout_redirect_uris: [consoleUrl],
    },
    {
      client_id: COMMAND_CLIENT,
      client_name: 'switchboard command',
      token_endpoint_auth_method: 'none',
      grant_types: [DEVICE_GRANT, 'refresh_token'],
      response_types: [],
      redirect_uris: [],
    },
    ...clients.map(({ id, name, secret, redirectUris, signedOutUris }) => ({
      client_id: id,
      client_name: name,
      token_endpoint_auth_method: secret === undefined ? ('none' as const) : ('client_secret_basic' as const),
      ...(secret === undefined ? {} : { client_secret: secret }),
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code' as const],
      redirect_uris: redirectUris,
      post_logout_redirect_uris: signedOutUris,
    })),
  ];
}

/** Returns the ids of the clients that get access tokens of the API. */
export const apiClients = (clients: readonly Client[]): ReadonlySet<string> =>
  new Set([CONSOLE_CLIENT, COMMAND_CLIENT, ...clients.flatMap(({ id, api }) => (api ? [id] : []))]);
