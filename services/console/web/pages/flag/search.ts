import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const VIEWS = ['settings', 'people', 'usage', 'history', 'projects', 'code'] as const;
export const PLATFORMS = ['node', 'browser', 'react', 'curl', 'switchboard'] as const;

/** Parses the view, the person or traits to check, the project to compare with, and the platform of the code. */
export const search = (raw: RawSearch) => ({
  view: oneOf(VIEWS, raw['view']) ?? 'settings',
  person: text(raw['person']),
  traits: text(raw['traits']),
  compare: text(raw['compare']),
  platform: oneOf(PLATFORMS, raw['platform']),
});
