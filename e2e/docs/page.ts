/** Where the page is kept. */
export const page = new URL('../../docs/configuration.md', import.meta.url);
