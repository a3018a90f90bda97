import { id } from '../fields.ts';

/** What every console operation of collaboration has in common. */
export const consoleFacts = {
  service: 'collaboration',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
} as const;

export const projectParams = { projectId: id };
export const reportParams = { ...projectParams, reportId: id };
