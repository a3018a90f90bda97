import { refusalOfKey } from '@switchboard/http';
import { createHub, type Hub, openFanOut } from '@switchboard/realtime';
import type { FlagsService } from '../config.ts';

export const SOCKET_PATH = '/v1/flags/socket';

/** Opens the sockets of this instance. Every instance receives changes from the database, so there is no fan-out. */
export function openSockets({ app, config, share, logger, metrics }: FlagsService): Hub {
  const hub = createHub({
    fanOut: openFanOut({ channel: 'switchboard:flags' }),
    maxSockets: share(config.SOCKETS_MAX),
    refusalOf: (key) => refusalOfKey(app.projectKey, key),
    onError: (error) => logger.warn({ error }, 'socket failed'),
  });
  metrics.gauge('switchboard_sockets', 'Open sockets.', hub.count);
  return hub;
}
