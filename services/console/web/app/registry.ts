import type { Page } from './page.ts';

const found = import.meta.glob<Page>('../pages/*/page.ts', { import: 'page', eager: true });

/** All pages, in the order of the rail. */
export const pages: readonly Page[] = Object.values(found).sort(
  (a, b) => (a.rail?.order ?? Infinity) - (b.rail?.order ?? Infinity),
);
