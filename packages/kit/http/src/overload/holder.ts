import { currentScope } from '@switchboard/runtime';
import type { Exchange } from '../exchange/env.ts';

/** The fairness key of a request: its project, or its IP address before authentication. */
export const holderOf = ({ address, projectId }: Pick<Exchange, 'address' | 'projectId'>): string =>
  projectId === undefined ? `address ${address}` : projectHolder(projectId);

export const projectHolder = (projectId: string): string => `project ${projectId}`;

/** Returns the fairness key of the running code. Outside a request, it is that of the service. */
export function currentHolder(): string {
  const exchange = currentScope()?.exchange;
  return exchange === undefined ? '' : holderOf(exchange);
}
