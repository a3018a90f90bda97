import type { ServiceName } from './operation.ts';

/** What `{base_url}` serves that is no operation: a page for people, or a WebSocket. */
export interface BesidesOperation {
  /** As an operation's path. */
  path: string;
  service: ServiceName;
  kind: 'page' | 'socket';
}

export const besidesOperations: readonly BesidesOperation[] = [
  { path: '/shared/{token}', service: 'collaboration', kind: 'page' },
  { path: '/v1/messenger/socket', service: 'messenger', kind: 'socket' },
  { path: '/v1/flags/socket', service: 'flags', kind: 'socket' },
];
