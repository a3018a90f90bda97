import type { ArticleSearch, HelpCentre as HelpCentreView } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import {
  type AuditedChange,
  PlanRequired,
  type ProjectAccess,
  type RateLimit,
  Rejection,
} from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { type HelpSiteProvider, HelpSiteProviderError } from '../providers/help-site.ts';
import type { HelpCentreStore } from './store.ts';

interface HelpCentreOptions {
  store: HelpCentreStore;
  provider: HelpSiteProvider;
  directory: Pick<Directory, 'entitlements'>;
  /** Limits the refreshes of a company. */
  limit: RateLimit;
  clock: Clock;
}

export type HelpCentre = ReturnType<typeof createHelpCentre>;

const DEFAULT_SEARCH: ArticleSearch = { on: false, placement: 'tab' };

/** Manages the help site of a project and the search of its articles in the messenger. */
export function createHelpCentre({ store, provider, directory, limit, clock }: HelpCentreOptions) {
  async function read(projectId: string): Promise<HelpCentreView> {
    const [site, search] = await Promise.all([store.site(projectId), readSearch(projectId)]);
    return {
      site: site === undefined ? null : { ...site, lastReadAt: site.lastReadAt.toISOString() },
      search,
    };
  }

  async function readSearch(projectId: string): Promise<ArticleSearch> {
    return (await store.search(projectId)) ?? DEFAULT_SEARCH;
  }

  return {
    read,
    readSearch,

    async refresh(change: AuditedChange, { id, companyId }: ProjectAccess): Promise<HelpCentreView> {
      await limit.consume(companyId);
      try {
        const site = await provider(companyId);
        if (site === undefined) await store.removeSite(id, change);
        else await store.putSite(id, { ...site, lastReadAt: clock.now(), readError: null }, change);
      } catch (error) {
        if (!(error instanceof HelpSiteProviderError)) throw error;
        if ((await store.site(id)) === undefined) throw new Rejection(502, 'HELP_SITE_FAILED', error.message);
        await store.setReadError(id, error.message, change);
      }
      return read(id);
    },

    async putSearch(
      change: AuditedChange,
      { id, companyId }: Pick<ProjectAccess, 'id' | 'companyId'>,
      search: ArticleSearch,
    ): Promise<ArticleSearch> {
      if (search.on) {
        const { articleSearch } = await directory.entitlements(companyId);
        if (articleSearch !== true) throw new PlanRequired('Your plan does not include article search.');
      }
      await store.putSearch(id, search, change);
      return search;
    },
  };
}
