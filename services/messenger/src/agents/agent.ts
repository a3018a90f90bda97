import { DEFAULT_INBOX_PREFERENCES, type InboxPreferences } from '@switchboard/contracts';

/** A member of a project. */
export interface Agent {
  projectId: string;
  sub: string;
}

/** Adds preferences that did not exist when the others were stored. */
export const withDefaults = (stored: Partial<InboxPreferences>): InboxPreferences => ({
  ...DEFAULT_INBOX_PREFERENCES,
  ...stored,
});
