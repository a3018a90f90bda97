/** The generated page. */
export const page = new URL('../../docs/configuration.md', import.meta.url);
