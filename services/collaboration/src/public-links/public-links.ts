import type { PublicLink, PublicLinkDefinition } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import {
  type Clock,
  hashToken,
  type Logger,
  NotFound,
  newToken,
  type Sealing,
  sealAnew,
} from '@switchboard/service-kit';
import type { Caller } from '../caller.ts';
import { requireReport } from '../reports.ts';
import { requireStopDay, stopMoment, utcDay } from './stop-day.ts';
import type { LinkRow, LinkStore, SealedLink } from './store.ts';

interface PublicLinksOptions {
  store: LinkStore;
  directory: Pick<Directory, 'report'>;
  clock: Clock;
  cipher: Sealing;
  /** What an address is the token below. */
  baseUrl: string;
}

const ownerOf = (projectId: string, reportId: string) => JSON.stringify([projectId, reportId]);

/** A report's public link: off, on or stopped. Any member of the company may turn it on and off. */
export function createPublicLinks({ store, directory, clock, cipher, baseUrl }: PublicLinksOptions) {
  function present({ project }: Caller, link: LinkRow & { ranAt: Date | null }): PublicLink {
    const token = cipher.open(link.sealedToken, ownerOf(project.id, link.reportId));
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
    async read(caller: Caller, reportId: string): Promise<PublicLink> {
      await requireReport(directory, caller.project.id, reportId);
      const link = await store.find(caller.project.id, reportId, utcDay(clock.now()));
      if (link === undefined) throw new NotFound('No public link of this report is on.');
      return present(caller, link);
    },

    async turnOn(caller: Caller, reportId: string, { expiresOn }: PublicLinkDefinition): Promise<PublicLink> {
      const projectId = caller.project.id;
      await requireReport(directory, projectId, reportId);
      const now = clock.now();
      requireStopDay(expiresOn, now);
      const token = newToken();
      const link = {
        projectId,
        reportId,
        tokenHash: hashToken(token),
        sealedToken: cipher.seal(token, ownerOf(projectId, reportId)),
        createdAt: now,
        expiresOn,
      };
      return present(caller, await store.turnOn(link, utcDay(now)));
    },

    /** Seals all tokens with the first of LINK_SECRET, where there are several. */
    sealAnew: (logger: Logger, signal: AbortSignal) =>
      sealAnew<SealedLink & { sealed: string; owner: string }>(
        {
          sealing: cipher,
          what: 'public links',
          async page(after) {
            const page = await store.page(after);
            return page.map((link) => ({
              ...link,
              sealed: link.sealedToken,
              owner: ownerOf(link.projectId, link.reportId),
            }));
          },
          replace: store.replaceSealed,
          logger,
        },
        signal,
      ),

    async turnOff(caller: Caller, reportId: string): Promise<void> {
      await requireReport(directory, caller.project.id, reportId);
      await store.turnOff(caller.project.id, reportId);
    },
  };
}
