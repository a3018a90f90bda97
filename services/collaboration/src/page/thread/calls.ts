import type { Note } from '../../annotations/annotations.ts';
import type { Shown } from '../render/render.ts';
import type { PageLanguage } from '../texts/languages.ts';

/** The input for rendering a page. */
export interface Asked {
  shown: Shown;
  notes: Note[];
  language: PageLanguage;
}

export interface ThreadCalls {
  render(asked: Asked): Promise<string>;
}
