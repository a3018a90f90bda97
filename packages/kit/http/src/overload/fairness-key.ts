import { currentScope } from '@switchboard/runtime';
import type { Exchange } from '../exchange/env.ts';

/** The fairness key of a request: its project, or its IP address before authentication. */
export const fairnessKeyOf = ({ address, projectId }: Pick<Exchange, 'address' | 'projectId'>): string =>
  projectId === undefined ? `address ${address}` : fairnessKeyOfProject(projectId);

export const fairnessKeyOfProject = (projectId: string): string => `project ${projectId}`;

/** Returns the fairness key of the running code. Outside a request, it is empty, and the work counts as the service's own. */
export function currentFairnessKey(): string {
  const exchange = currentScope()?.exchange;
  return exchange === undefined ? '' : fairnessKeyOf(exchange);
}
