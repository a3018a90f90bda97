import type { ArticleSearch } from '@switchboard/contracts';
import { eq } from 'drizzle-orm';
import type { Db } from '../db.ts';
import { articleSearches, helpSites } from '../schema/index.ts';
import type { HelpSite } from './provider.ts';

export interface StoredSite extends HelpSite {
  lastReadAt: Date;
  readError: string | null;
}

export type HelpCentreStore = ReturnType<typeof createHelpCentreStore>;

export function createHelpCentreStore(db: Db) {
  return {
    async site(projectId: string): Promise<StoredSite | undefined> {
      const [row] = await db.select(siteColumns).from(helpSites).where(eq(helpSites.projectId, projectId));
      return row;
    },

    async putSite(projectId: string, site: StoredSite): Promise<void> {
      await db
        .insert(helpSites)
        .values({ projectId, ...site })
        .onConflictDoUpdate({ target: helpSites.projectId, set: site });
    },

    /** The site stays as it was. */
    async noteError(projectId: string, readError: string): Promise<void> {
      await db.update(helpSites).set({ readError }).where(eq(helpSites.projectId, projectId));
    },

    async removeSite(projectId: string): Promise<void> {
      await db.delete(helpSites).where(eq(helpSites.projectId, projectId));
    },

    async search(projectId: string): Promise<ArticleSearch | undefined> {
      const [row] = await db
        .select({ on: articleSearches.on, placement: articleSearches.placement })
        .from(articleSearches)
        .where(eq(articleSearches.projectId, projectId));
      return row;
    },

    async putSearch(projectId: string, search: ArticleSearch): Promise<void> {
      await db
        .insert(articleSearches)
        .values({ projectId, ...search })
        .onConflictDoUpdate({ target: articleSearches.projectId, set: search });
    },
  };
}

const siteColumns = {
  url: helpSites.url,
  articles: helpSites.articles,
  languages: helpSites.languages,
  capped: helpSites.capped,
  lastReadAt: helpSites.lastReadAt,
  readError: helpSites.readError,
};
