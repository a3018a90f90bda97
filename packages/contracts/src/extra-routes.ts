import type { ServiceName } from './operation/operation.ts';

/** A route of `{base_url}` that is not an API operation: an HTML page, a folder of files or a WebSocket. */
export interface ExtraRoute {
  /** The path in the syntax of operation paths. */
  path: string;
  service: ServiceName;
  kind: 'page' | 'files' | 'socket';
  /** Default: GET. */
  methods?: readonly string[];
}

export const extraRoutes: readonly ExtraRoute[] = [
  { path: '/shared/{token}', service: 'collaboration', kind: 'page' },
  { path: '/shared/mails/{token}', service: 'collaboration', kind: 'page' },
  {
    path: '/shared/mails/{token}/unsubscribe',
    service: 'collaboration',
    kind: 'page',
    methods: ['GET', 'POST'],
  },
  { path: '/unsubscribe/{token}', service: 'messenger', kind: 'page', methods: ['GET', 'POST'] },
  { path: '/sdk/{file}', service: 'messenger', kind: 'files' },
  { path: '/v1/messenger/socket', service: 'messenger', kind: 'socket' },
  { path: '/v1/flags/socket', service: 'flags', kind: 'socket' },
];
