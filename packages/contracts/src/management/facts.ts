import { projectId } from '../path-ids.ts';

/** What every management operation of a service has in common. */
export function managementOf<S extends string>(service: S) {
  return {
    service,
    host: 'management',
    credential: 'management',
    errorShape: 'B',
    tag: 'Management',
  } as const;
}

/** The answer to a DELETE, also when nothing was there. */
export const deleted = { description: 'It is not there (any more).' };

export const projectParams = { projectId };
