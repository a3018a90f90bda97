import type { Encryption } from '@switchboard/runtime';
import { z } from 'zod';
import { reportAddress } from '../shares/link.ts';
import type { SubscriptionKey, SubscriptionRow } from '../subscriptions/store.ts';

/** A member, and the subscription that they get mails of. */
export interface Subscriber {
  key: SubscriptionKey;
  sub: string;
}

/** The secret links of mails to one member. */
export interface MailLinks {
  /** Returns the links that open the target and that end the mails. */
  linksTo(subscriber: Subscriber): Promise<{ open: string; unsubscribe: string }>;
  /** Returns undefined for an invalid token. */
  subscriberOf(token: string): Promise<Subscriber | undefined>;
}

interface LinksOptions {
  encryption: Pick<Encryption, 'encrypt' | 'decrypt'>;
  /** The prefix of public links. */
  baseUrl: string;
}

const CONTEXT = 'mail of a subscription';
const MAX_TOKEN = 2_000;
const content = z.tuple([z.string(), z.string(), z.string()]);

/** Returns the address of the report, dashboard or threads in the console. */
export function targetAddress(consoleUrl: string, subscription: SubscriptionRow): string {
  const { projectId, targetKind, targetId } = subscription;
  if (targetKind === 'report') return reportAddress({ consoleUrl, projectId, reportId: targetId });
  const project = `${consoleUrl}/projects/${encodeURIComponent(projectId)}`;
  if (targetKind === 'threads') return `${project}/threads`;
  return `${project}/dashboards/${encodeURIComponent(targetId)}`;
}

export function createMailLinks({ encryption, baseUrl }: LinksOptions): MailLinks {
  return {
    async linksTo({ key, sub }) {
      const token = await encryption.encrypt(JSON.stringify([key.projectId, key.id, sub]), CONTEXT);
      const open = `${baseUrl}/mails/${token}`;
      return { open, unsubscribe: `${open}/unsubscribe` };
    },

    async subscriberOf(token) {
      if (token.length > MAX_TOKEN) return undefined;
      const text = await encryption.decrypt(token, CONTEXT).catch(() => undefined);
      if (text === undefined) return undefined;
      const [projectId, id, sub] = content.parse(JSON.parse(text));
      return { key: { projectId, id }, sub };
    },
  };
}
