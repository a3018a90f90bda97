import type { PublicLinkDefinition } from '@switchboard/contracts';
import type { Transactor } from '@switchboard/database';
import { NotFound } from '@switchboard/http';
import {
  type Clock,
  type Encryption,
  hashToken,
  type Logger,
  newToken,
  reencryptAll,
} from '@switchboard/runtime';
import type { Caller } from '../callers/caller.ts';
import { requireStopDay, stopMoment, utcDay } from './stop-day.ts';
import type { EncryptedLink, LinkRow, PublicLinksStore } from './store.ts';
import type { LinkSubject } from './subject.ts';

interface PublicLinksOptions {
  subject: LinkSubject;
  store: PublicLinksStore;
  clock: Clock;
  encryption: Encryption;
  /** The address of a link without its token. */
  baseUrl: string;
}

/** The fields of a link that those of reports and dashboards have in common. */
interface LinkFields {
  token: string;
  url: string;
  createdAt: string;
  expiresAt: string;
  expiresOn: string;
}

/** The public links of reports or of dashboards. Each is off, on or stopped. */
export interface PublicLinks {
  /** Throws NotFound when the link is off or has stopped. */
  read(caller: Caller, id: string): Promise<LinkFields>;
  /**
   * Turns the link on, or moves its stop day. Throws BadRequest for a stop day that is not allowed, and Conflict if
   * the subject cannot be shared.
   */
  turnOn(
    within: Transactor,
    caller: Caller,
    id: string,
    definition: PublicLinkDefinition,
  ): Promise<LinkFields>;
  turnOff(within: Transactor, caller: Caller, id: string): Promise<void>;
  /** Re-encrypts tokens with the first secret in LINK_SECRET if it has several. */
  reencrypt(logger: Logger, signal: AbortSignal): Promise<void>;
}

export function createPublicLinks(options: PublicLinksOptions): PublicLinks {
  const { subject, store, clock, encryption, baseUrl } = options;
  const { contextOf } = subject;

  async function present({ project }: Caller, link: LinkRow): Promise<LinkFields> {
    const token = await encryption.decrypt(link.encryptedToken, contextOf(project.id, link.subjectId));
    return {
      token,
      url: `${baseUrl}/${token}`,
      createdAt: link.createdAt.toISOString(),
      expiresAt: stopMoment(link.expiresOn).toISOString(),
      expiresOn: link.expiresOn,
    };
  }

  return {
    async read(caller, id) {
      await subject.require(caller.project.id, id);
      const link = await store.find(caller.project.id, id, utcDay(clock.now()));
      if (link === undefined) {
        throw new NotFound(`Public link not found: this ${subject.noun} has no active link.`);
      }
      return present(caller, link);
    },

    async turnOn(within, caller, subjectId, { expiresOn }) {
      const projectId = caller.project.id;
      await subject.require(projectId, subjectId);
      const now = clock.now();
      requireStopDay(expiresOn, now);
      const token = newToken();
      const link = {
        projectId,
        subjectId,
        tokenHash: hashToken(token),
        encryptedToken: await encryption.encrypt(token, contextOf(projectId, subjectId)),
        createdAt: now,
        expiresOn,
      };
      return present(caller, await store.turnOn(link, utcDay(now), within));
    },

    async turnOff(within, caller, id) {
      await subject.require(caller.project.id, id);
      await store.turnOff(caller.project.id, id, within);
    },

    reencrypt: (logger, signal) =>
      reencryptAll<EncryptedLink & { encrypted: string; context: string }>(
        {
          encryption,
          what: `public links of ${subject.noun}s`,
          async page(after) {
            const page = await store.page(after);
            return page.map((link) => ({
              ...link,
              encrypted: link.encryptedToken,
              context: contextOf(link.projectId, link.subjectId),
            }));
          },
          replace: store.replaceEncrypted,
          logger,
        },
        signal,
      ),
  };
}
