import { ACCENT } from './tokens.ts';

const mark = `<rect width="24" height="24" rx="6" fill="${ACCENT}"/><circle cx="7.5" cy="8" r="2" fill="#fff"/><circle cx="16.5" cy="16" r="2" fill="#fff"/><path d="M9.5 8h2.2c2.4 0 .6 8 3 8h-.2" fill="none" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/>`;

/**
 * Returns Switchboard's logo as an SVG element of `size` pixels. It is decorative, because the name is next to it.
 */
export const logo = (size: number): string =>
  `<svg class="logo" width="${size}" height="${size}" viewBox="0 0 24 24" aria-hidden="true">${mark}</svg>`;

/** The logo as the URL of a page's icon. */
export const favicon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${mark}</svg>`)}`;
