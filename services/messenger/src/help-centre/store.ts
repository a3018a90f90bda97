import type { ArticleSearch } from '@switchboard/contracts';
import type { Db, Transactor, Tx } from '@switchboard/database';
import { eq } from 'drizzle-orm';
import type { HelpSite } from '../providers/help-site.ts';
import { articleSearches, helpSites } from '../schema/index.ts';

export interface StoredSite extends HelpSite {
  lastReadAt: Date;
  readError: string | null;
}

export interface HelpCentreStore {
  site(projectId: string): Promise<StoredSite | undefined>;
  putSite(projectId: string, site: StoredSite, within: Transactor): Promise<void>;
  /** Sets the read error and keeps the rest of the site. */
  setReadError(projectId: string, readError: string, within: Transactor): Promise<void>;
  removeSite(projectId: string, within: Transactor): Promise<void>;
  search(projectId: string): Promise<ArticleSearch | undefined>;
  putSearch(projectId: string, search: ArticleSearch, within: Transactor): Promise<void>;
}

const siteColumns = {
  url: helpSites.url,
  articles: helpSites.articles,
  languages: helpSites.languages,
  capped: helpSites.capped,
  lastReadAt: helpSites.lastReadAt,
  readError: helpSites.readError,
};

export function createHelpCentreStore(db: Db | Tx): HelpCentreStore {
  return {
    async site(projectId) {
      const [row] = await db.select(siteColumns).from(helpSites).where(eq(helpSites.projectId, projectId));
      return row;
    },

    async putSite(projectId, site, within) {
      await within.transaction((tx) =>
        tx
          .insert(helpSites)
          .values({ projectId, ...site })
          .onConflictDoUpdate({ target: helpSites.projectId, set: site }),
      );
    },

    async setReadError(projectId, readError, within) {
      await within.transaction((tx) =>
        tx.update(helpSites).set({ readError }).where(eq(helpSites.projectId, projectId)),
      );
    },

    async removeSite(projectId, within) {
      await within.transaction((tx) => tx.delete(helpSites).where(eq(helpSites.projectId, projectId)));
    },

    async search(projectId) {
      const [row] = await db
        .select({ on: articleSearches.on, placement: articleSearches.placement })
        .from(articleSearches)
        .where(eq(articleSearches.projectId, projectId));
      return row;
    },

    async putSearch(projectId, search, within) {
      await within.transaction((tx) =>
        tx
          .insert(articleSearches)
          .values({ projectId, ...search })
          .onConflictDoUpdate({ target: articleSearches.projectId, set: search }),
      );
    },
  };
}
