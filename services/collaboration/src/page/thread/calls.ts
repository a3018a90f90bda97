import type { Shown } from '../render/render.ts';
import type { PageLanguage } from '../texts/languages.ts';

/** The input for rendering a page. */
export interface Asked {
  shown: Shown;
  language: PageLanguage;
}

export interface ThreadCalls {
  render(asked: Asked): Promise<string>;
}
