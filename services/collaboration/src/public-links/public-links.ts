import type { PublicLink, PublicLinkDefinition } from '@switchboard/contracts';
import type { Transactor } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
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
import { requireReport } from '../directory/reports.ts';
import { requireStopDay, stopMoment, utcDay } from './stop-day.ts';
import type { EncryptedLink, LinkWithRun, PublicLinksStore } from './store.ts';

interface PublicLinksOptions {
  store: PublicLinksStore;
  directory: Pick<Directory, 'report'>;
  clock: Clock;
  encryption: Encryption;
  /** The address of a link without its token. */
  baseUrl: string;
}

/** The public link of a report: off, on or stopped. */
export interface PublicLinks {
  /** Throws NotFound when the link is off or has stopped. */
  read(caller: Caller, reportId: string): Promise<PublicLink>;
  /** Turns the link on, or moves its stop day. Throws BadRequest for a stop day that is not allowed. */
  turnOn(
    within: Transactor,
    caller: Caller,
    reportId: string,
    definition: PublicLinkDefinition,
  ): Promise<PublicLink>;
  turnOff(within: Transactor, caller: Caller, reportId: string): Promise<void>;
  /** Re-encrypts tokens with the first secret in LINK_SECRET if it has several. */
  reencrypt(logger: Logger, signal: AbortSignal): Promise<void>;
}

const contextOf = (projectId: string, reportId: string) => JSON.stringify([projectId, reportId]);

export function createPublicLinks(options: PublicLinksOptions): PublicLinks {
  const { store, directory, clock, encryption, baseUrl } = options;

  async function present({ project }: Caller, link: LinkWithRun): Promise<PublicLink> {
    const token = await encryption.decrypt(link.encryptedToken, contextOf(project.id, link.reportId));
    return {
      reportId: link.reportId,
      token,
      url: `${baseUrl}/${token}`,
      createdAt: link.createdAt.toISOString(),
      expiresAt: stopMoment(link.expiresOn).toISOString(),
      expiresOn: link.expiresOn,
      ranAt: link.ranAt?.toISOString() ?? null,
    };
  }

  return {
    async read(caller, reportId) {
      await requireReport(directory, caller.project.id, reportId);
      const link = await store.find(caller.project.id, reportId, utcDay(clock.now()));
      if (link === undefined) throw new NotFound('Public link not found: this report has no active link.');
      return present(caller, link);
    },

    async turnOn(within, caller, reportId, { expiresOn }) {
      const projectId = caller.project.id;
      await requireReport(directory, projectId, reportId);
      const now = clock.now();
      requireStopDay(expiresOn, now);
      const token = newToken();
      const link = {
        projectId,
        reportId,
        tokenHash: hashToken(token),
        encryptedToken: await encryption.encrypt(token, contextOf(projectId, reportId)),
        createdAt: now,
        expiresOn,
      };
      return present(caller, await store.turnOn(link, utcDay(now), within));
    },

    async turnOff(within, caller, reportId) {
      await requireReport(directory, caller.project.id, reportId);
      await store.turnOff(caller.project.id, reportId, within);
    },

    reencrypt: (logger, signal) =>
      reencryptAll<EncryptedLink & { encrypted: string; context: string }>(
        {
          encryption,
          what: 'public links',
          async page(after) {
            const page = await store.page(after);
            return page.map((link) => ({
              ...link,
              encrypted: link.encryptedToken,
              context: contextOf(link.projectId, link.reportId),
            }));
          },
          replace: store.replaceEncrypted,
          logger,
        },
        signal,
      ),
  };
}
