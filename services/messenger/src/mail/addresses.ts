import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@switchboard/runtime';

/** The purpose of a signed address or link. */
type Kind = 'reply' | 'bounce' | 'unsubscribe';

/** The recipient of a mail: a conversation, or the project that opens one. */
export type MailRecipient =
  | { kind: 'reply' | 'bounce'; conversationId: string }
  | { kind: 'agent'; number: number; conversationId: string }
  | { kind: 'project'; key: string };

/** Signs and checks the addresses and links of a conversation. Mail servers may change the case of an address. */
export interface MailAddresses {
  /** Returns the address that answers to a mail go to. */
  forReplies(conversationId: string): string;
  /** Returns the address that answers of a member to a digest go to. */
  forAgent(number: number, conversationId: string): string;
  /** Returns the address that mail servers report failures to. */
  forBounces(conversationId: string): string;
  /** Returns the address to write to in order to open a conversation of a project. */
  ofProject(key: string): string;
  /** Returns undefined for another domain, an expired address and a wrong signature. */
  recipientOf(address: string): MailRecipient | undefined;
  /** Returns the token of a link that ends mails of a conversation. */
  unsubscribeToken(conversationId: string): string;
  /** Returns the conversation of a token. Undefined if the token is invalid. */
  unsubscribedBy(token: string): string | undefined;
}

interface AddressesOptions {
  domain: string;
  /** The first one signs, all of them verify. */
  secrets: readonly string[];
  clock: Clock;
}

const DAY_MS = 86_400_000;
/** Days after which an address or a link of a kind ends. Mail servers retry for days, people answer after weeks. */
const DAYS: Readonly<Record<Kind, number>> = { reply: 90, bounce: 14, unsubscribe: 400 };
const LETTERS: Readonly<Record<Kind, string>> = { reply: 'r', bounce: 'b', unsubscribe: 'u' };
const MAC_BYTES = 12;
/** An agent's address also has their number, so its signature is cut to the 80 bits that RFC 2104 requires. */
const AGENT_MAC_BYTES = 10;
const AGENT_DAYS = 7;
const KEY_BYTES = 12;
/** A letter, the 32 digits of the conversation's id, the day of expiry and the signature: 64 characters at most. */
const SIGNED = /^([rbu])([0-9a-f]{32})([0-9a-f]{4})([0-9a-f]{24})$/;
const AGENT = /^a([0-9a-f]{6})([0-9a-f]{32})([0-9a-f]{4})([0-9a-f]{20})$/;
const PROJECT = /^in([0-9a-f]{24})$/;
const ID_PREFIX = 'cnv_';

/** Returns the secret part of a project's address. */
export const newMailKey = () => randomBytes(KEY_BYTES).toString('hex');

/** Signs with HMAC-SHA256, cut to 96 bits (RFC 2104, section 5), under keys derived from the secrets. */
export function createMailAddresses({ domain, secrets, clock }: AddressesOptions): MailAddresses {
  const keys = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'messenger mail addresses', 32)),
  );
  const today = () => Math.floor(clock.now().getTime() / DAY_MS);
  const macOf = (key: Buffer, signed: string, bytes = MAC_BYTES) =>
    createHmac('sha256', key).update(signed).digest().subarray(0, bytes);
  const expiryIn = (days: number) => (today() + days).toString(16).padStart(4, '0');

  function signingKey(): Buffer {
    const [key] = keys;
    if (key === undefined) throw new Error('no secret to sign addresses');
    return key;
  }

  function sign(kind: Kind, conversationId: string): string {
    const signed = `${LETTERS[kind]}${conversationId.slice(ID_PREFIX.length)}${expiryIn(DAYS[kind])}`;
    return `${signed}${macOf(signingKey(), signed).toString('hex')}`;
  }

  function verify(kinds: readonly Kind[], given: string): { kind: Kind; conversationId: string } | undefined {
    const [, letter = '', id = '', expiry = '', mac = ''] = SIGNED.exec(given) ?? [];
    const kind = kinds.find((one) => LETTERS[one] === letter);
    if (kind === undefined || Number.parseInt(expiry, 16) < today()) return undefined;
    const sent = Buffer.from(mac, 'hex');
    const isSigned = keys.some((key) => timingSafeEqual(macOf(key, `${letter}${id}${expiry}`), sent));
    return isSigned ? { kind, conversationId: `${ID_PREFIX}${id}` } : undefined;
  }

  function verifyAgent(given: string): MailRecipient | undefined {
    const [, number = '', id = '', expiry = '', mac = ''] = AGENT.exec(given) ?? [];
    if (mac === '' || Number.parseInt(expiry, 16) < today()) return undefined;
    const sent = Buffer.from(mac, 'hex');
    const isSigned = keys.some((key) =>
      timingSafeEqual(macOf(key, `a${number}${id}${expiry}`, AGENT_MAC_BYTES), sent),
    );
    if (!isSigned) return undefined;
    return { kind: 'agent', number: Number.parseInt(number, 16), conversationId: `${ID_PREFIX}${id}` };
  }

  return {
    forAgent(number, conversationId) {
      const agent = number.toString(16).padStart(6, '0');
      const signed = `a${agent}${conversationId.slice(ID_PREFIX.length)}${expiryIn(AGENT_DAYS)}`;
      return `${signed}${macOf(signingKey(), signed, AGENT_MAC_BYTES).toString('hex')}@${domain}`;
    },

    forReplies: (conversationId) => `${sign('reply', conversationId)}@${domain}`,
    forBounces: (conversationId) => `${sign('bounce', conversationId)}@${domain}`,
    ofProject: (key) => `in${key}@${domain}`,

    recipientOf(address) {
      const at = address.lastIndexOf('@');
      if (address.slice(at + 1).toLowerCase() !== domain.toLowerCase()) return undefined;
      const local = address.slice(0, Math.max(0, at)).toLowerCase();
      const [, key] = PROJECT.exec(local) ?? [];
      if (key !== undefined) return { kind: 'project', key };
      const agent = verifyAgent(local);
      if (agent !== undefined) return agent;
      const signed = verify(['reply', 'bounce'], local);
      if (signed === undefined || signed.kind === 'unsubscribe') return undefined;
      return { kind: signed.kind, conversationId: signed.conversationId };
    },

    unsubscribeToken: (conversationId) => sign('unsubscribe', conversationId),
    unsubscribedBy: (token) => verify(['unsubscribe'], token)?.conversationId,
  };
}
