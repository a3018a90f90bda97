import { projectId } from '../fields/ids.ts';

/** Returns the properties common to every management operation of a service. */
export function managementOf<S extends string>(service: S) {
  return {
    service,
    host: 'management',
    credential: 'management',
    errorShape: 'B',
    tag: 'Management',
  } as const;
}

export const projectParams = { projectId };
