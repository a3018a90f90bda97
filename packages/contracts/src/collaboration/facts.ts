import { projectId, reportId } from '../path-ids.ts';

/** What every console operation of collaboration has in common. */
export const consoleFacts = {
  service: 'collaboration',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
} as const;

export const projectParams = { projectId };
export const reportParams = { ...projectParams, reportId };
