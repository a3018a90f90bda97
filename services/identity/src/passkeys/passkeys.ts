import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Clock } from '@switchboard/runtime';
import { z } from 'zod';
import type { AccountRow } from '../accounts/store.ts';
import type { Tickets } from '../tickets/tickets.ts';
import type { PasskeyRow, PasskeysStore } from './store.ts';

/** The options of a ceremony of the browser, and the ticket that it ends with. */
export interface Ceremony<Options> {
  ticket: string;
  options: Options;
}

export interface Passkeys {
  list(accountId: string): Promise<PasskeyRow[]>;
  remove(accountId: string, id: string): Promise<void>;
  beginCreation(account: AccountRow): Promise<Ceremony<PublicKeyCredentialCreationOptionsJSON>>;
  /** Adds the passkey. Returns false if the browser's response is not valid. */
  create(accountId: string, ticket: string, credential: unknown, name: string): Promise<boolean>;
  beginSignIn(): Promise<Ceremony<PublicKeyCredentialRequestOptionsJSON>>;
  /** Returns the account of the passkey; undefined if the browser's response is not valid. */
  signIn(ticket: string, credential: unknown): Promise<string | undefined>;
}

const challenge = z.object({ challenge: z.string() });
const CREATION = { name: 'passkey-creation', minutes: 5, data: challenge };
const REQUEST = { name: 'passkey-request', minutes: 5, data: challenge };
/** EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257];
const MAX_PASSKEYS = 20;
const MAX_NAME = 100;

/** The longest id that WebAuthn allows, in base64url. */
const CREDENTIAL_ID = /^[\w-]{1,1364}$/;
const isCredential = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  'response' in value &&
  'id' in value &&
  typeof value.id === 'string' &&
  CREDENTIAL_ID.test(value.id);
/** The library checks the content. */
const registration = z.custom<RegistrationResponseJSON>(isCredential);
const authentication = z.custom<AuthenticationResponseJSON>(isCredential);

interface PasskeysOptions {
  store: PasskeysStore;
  tickets: Tickets;
  clock: Clock;
  issuer: string;
}

/** Creates passkeys (WebAuthn). Each proves possession and the person, so no other factor is needed. */
export function createPasskeys({ store, tickets, clock, issuer }: PasskeysOptions): Passkeys {
  const { hostname: rpID, origin } = new URL(issuer);
  const expected = (expectedChallenge: string) => ({
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
  });

  return {
    list: (accountId) => store.list(accountId),
    remove: (accountId, id) => store.remove(accountId, id),

    async beginCreation({ id, email, name }) {
      const known = await store.list(id);
      const options = await generateRegistrationOptions({
        rpName: 'Switchboard',
        rpID,
        userID: new TextEncoder().encode(id),
        userName: email,
        userDisplayName: name,
        excludeCredentials: known.map((passkey) => ({ id: passkey.id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: ALGORITHMS,
      });
      const data = { challenge: options.challenge };
      return { options, ticket: await tickets.issue(CREATION, { accountId: id, data }) };
    },

    async create(accountId, ticket, credential, name) {
      const begun = await tickets.take(CREATION, ticket);
      const response = registration.safeParse(credential);
      if (begun?.accountId !== accountId || !response.success) return false;
      if ((await store.list(accountId)).length >= MAX_PASSKEYS) return false;
      const { registrationInfo } = await verifyRegistrationResponse({
        response: response.data,
        ...expected(begun.data.challenge),
        supportedAlgorithmIDs: ALGORITHMS,
      }).catch(() => ({ registrationInfo: undefined }));
      if (registrationInfo === undefined) return false;
      const { id, publicKey, counter } = registrationInfo.credential;
      return store.insert({
        id,
        accountId,
        publicKey,
        counter,
        name: name.trim().slice(0, MAX_NAME) || 'Passkey',
      });
    },

    async beginSignIn() {
      const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' });
      return { options, ticket: await tickets.issue(REQUEST, { data: { challenge: options.challenge } }) };
    },

    async signIn(ticket, credential) {
      const begun = await tickets.take(REQUEST, ticket);
      const response = authentication.safeParse(credential);
      if (begun === undefined || !response.success) return undefined;
      const known = await store.find(response.data.id);
      if (known === undefined) return undefined;
      const { id, publicKey, counter, accountId } = known;
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: response.data,
        ...expected(begun.data.challenge),
        credential: { id, publicKey, counter },
      }).catch(() => ({ verified: false, authenticationInfo: undefined }));
      if (!verified || authenticationInfo === undefined) return undefined;
      await store.noteUse(id, authenticationInfo.newCounter, clock.now());
      return accountId;
    },
  };
}
