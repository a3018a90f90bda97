import type { ArticleSearch, HelpCentre } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { type Clock, PlanRequired, type ProjectAccess, Rejection } from '@switchboard/service-kit';
import { type HelpSiteProvider, ProviderFailed } from './provider.ts';
import type { HelpCentreStore } from './store.ts';

interface HelpCentreOptions {
  store: HelpCentreStore;
  provider: HelpSiteProvider;
  directory: Pick<Directory, 'entitlements'>;
  clock: Clock;
}

export type HelpCentres = ReturnType<typeof createHelpCentres>;

const atFirst: ArticleSearch = { on: false, placement: 'tab' };

/** The help site of a project, and how its articles are searched in the messenger. */
export function createHelpCentres({ store, provider, directory, clock }: HelpCentreOptions) {
  async function read(projectId: string): Promise<HelpCentre> {
    const [site, search] = await Promise.all([store.site(projectId), store.search(projectId)]);
    return {
      site: site === undefined ? null : { ...site, lastReadAt: site.lastReadAt.toISOString() },
      search: search ?? atFirst,
    };
  }

  return {
    read,

    async refresh({ id, companyId }: ProjectAccess): Promise<HelpCentre> {
      try {
        const site = await provider(companyId);
        if (site === undefined) await store.removeSite(id);
        else await store.putSite(id, { ...site, lastReadAt: clock.now(), readError: null });
      } catch (error) {
        if (!(error instanceof ProviderFailed)) throw error;
        if ((await store.site(id)) === undefined) throw new Rejection(502, 'HELP_SITE_FAILED', error.message);
        await store.noteError(id, error.message);
      }
      return read(id);
    },

    async putSearch({ id, companyId }: ProjectAccess, search: ArticleSearch): Promise<ArticleSearch> {
      if (search.on) {
        const { articleSearch } = await directory.entitlements(companyId);
        if (articleSearch !== true) throw new PlanRequired('Your plan has no article search.');
      }
      await store.putSearch(id, search);
      return search;
    },
  };
}
