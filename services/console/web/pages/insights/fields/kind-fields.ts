import type { Draft } from '../draft.ts';

export interface KindFieldsProps {
  draft: Draft;
  /** The names of the properties of the first event. */
  properties: readonly string[];
  change(values: Partial<Draft>): void;
}
