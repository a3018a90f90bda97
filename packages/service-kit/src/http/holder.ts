import { currentScope } from '../telemetry/scope.ts';
import type { Exchange } from './env.ts';

/** Whose turns a request takes: its project's, and its address's while the project is not known. */
export const holderOf = ({ address, projectId }: Pick<Exchange, 'address' | 'projectId'>): string =>
  projectId === undefined ? `address ${address}` : projectHolder(projectId);

export const projectHolder = (projectId: string): string => `project ${projectId}`;

/** Whose turns the code that runs now takes; the service's own, if it runs for no request. */
export function currentHolder(): string {
  const exchange = currentScope()?.exchange;
  return exchange === undefined ? '' : holderOf(exchange);
}
