import { oneOf, type RawSearch } from '../../app/page.ts';

export const PLATFORMS = ['page', 'browser', 'react', 'node', 'openfeature', 'shell'] as const;
export type Platform = (typeof PLATFORMS)[number];

/** Parses the platform of the snippet. */
export const search = (raw: RawSearch) => ({ install: oneOf(PLATFORMS, raw['install']) });
