import type { BrowserContext } from '../browser/browser.ts';
import { API_RESOURCE, API_SCOPE } from '../provider/provider.ts';
import type { Providers } from '../provider/providers.ts';

/** The request of an application that a person signs in for. */
export interface Interaction {
  application: string;
  /** Whether the person must sign in even with a session. */
  needsSignIn: boolean;
  needsConsent: boolean;
}

export interface Interactions {
  /** Returns the request of this id; undefined if it expired or another browser made it. */
  find(c: BrowserContext, uid: string): Promise<Interaction | undefined>;
  /** Completes the sign-in. Returns the address to continue at. */
  finish(c: BrowserContext, login: { accountId: string; methods: string[] }): Promise<string>;
  /** Allows the application what it asked for. Returns the address to continue at. */
  allow(c: BrowserContext): Promise<string>;
  /** Ends the request with an error for the application. Returns the address to continue at. */
  abort(c: BrowserContext): Promise<string>;
}

/** Reasons for which a session of this service is enough. */
const SESSION_IS_ENOUGH = new Set(['no_session', 'session_ended']);

export function createInteractions(providers: Providers): Interactions {
  function exchange(c: BrowserContext) {
    const { incoming, outgoing } = c.env;
    if (incoming === undefined || outgoing === undefined)
      throw new Error('the request did not come over HTTP');
    return [incoming, outgoing] as const;
  }

  const details = async (c: BrowserContext) => providers.current().interactionDetails(...exchange(c));

  return {
    async find(c, uid) {
      const interaction = await details(c).catch(() => undefined);
      if (interaction === undefined || interaction.uid !== uid) return undefined;
      const { prompt, params } = interaction;
      const client = await providers.current().Client.find(String(params['client_id']));
      return {
        application: client?.clientName ?? client?.clientId ?? 'Switchboard',
        needsConsent: prompt.name === 'consent',
        needsSignIn: !prompt.reasons.every((reason) => SESSION_IS_ENOUGH.has(reason)),
      };
    },

    finish: (c, { accountId, methods }) =>
      providers
        .current()
        .interactionResult(
          ...exchange(c),
          { login: { accountId, amr: methods, remember: true } },
          { mergeWithLastSubmission: false },
        ),

    async allow(c) {
      const provider = providers.current();
      const { params, prompt, session, grantId } = await details(c);
      const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
      const grant =
        known ??
        new provider.Grant({ clientId: String(params['client_id']), accountId: session?.accountId ?? '' });
      const missing = prompt.details['missingOIDCScope'];
      if (Array.isArray(missing)) grant.addOIDCScope(missing.join(' '));
      const claims = prompt.details['missingOIDCClaims'];
      if (Array.isArray(claims)) grant.addOIDCClaims(claims);
      if (prompt.details['missingResourceScopes'] !== undefined)
        grant.addResourceScope(API_RESOURCE, API_SCOPE);
      return provider.interactionResult(...exchange(c), { consent: { grantId: await grant.save() } });
    },

    abort: (c) =>
      providers
        .current()
        .interactionResult(
          ...exchange(c),
          { error: 'access_denied', error_description: 'the person cancelled' },
          { mergeWithLastSubmission: false },
        ),
  };
}
