import type { RawSearch } from '../../app/page.ts';

/** Parses the moment, in seconds from the start. */
export const search = (raw: RawSearch) => {
  const at = Number(raw['at']);
  return { at: raw['at'] !== undefined && at >= 0 && Number.isFinite(at) ? at : undefined };
};
