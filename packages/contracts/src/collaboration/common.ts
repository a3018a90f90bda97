import { projectId, reportId } from '../fields/ids.ts';

/** Common to every console operation of collaboration. */
export const consoleCommon = {
  service: 'collaboration',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
} as const;

export const projectParams = { projectId };
export const reportParams = { ...projectParams, reportId };
