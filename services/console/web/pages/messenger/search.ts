import { VIEWS } from '@switchboard/messenger/preview-messages';
import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const PARTS = ['appearance', 'texts', 'team', 'hours', 'help'] as const;
export type Part = (typeof PARTS)[number];

export const search = (raw: RawSearch) => ({
  part: oneOf(PARTS, raw['part']),
  /** The view of the preview. */
  view: oneOf(VIEWS, raw['view']),
  /** The language of the preview. */
  language: text(raw['language']),
});
