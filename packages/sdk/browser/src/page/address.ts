/**
 * Returns the URL of a page without its query and fragment, which may contain personal data. Returns only the scheme
 * of other URLs.
 */
export function pageAddress(address: string): string {
  try {
    const { origin, pathname, protocol } = new URL(address, location.href);
    return /^https?:/.test(protocol) ? origin + pathname : protocol;
  } catch {
    return '';
  }
}

/** Returns the path of the page. Empty if the path is content, such as in a `data:` URL. */
export const pagePath = (): string => (location.pathname.startsWith('/') ? location.pathname : '');
