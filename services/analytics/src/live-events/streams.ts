import type { Permission } from '@switchboard/contracts';
import { refusalOfStream } from '@switchboard/http';
import { createHub, type Hub, openFanOut } from '@switchboard/realtime';
import type { Analytics } from '../config.ts';

/** The permission that a stream requires while it is open. */
export const STREAM_PERMISSION: Permission = 'events.read';
/** The limit of streams of a process. */
const MAX_STREAMS = 1_000;
/** The limit of streams of an address, a person or a project. */
const MAX_STREAMS_PER_KEY = 20;

/** Opens the streams of this process. A stream ends when its caller loses the permission. */
export function openStreams({ directory, logger, metrics, share }: Analytics): Hub {
  const hub = createHub({
    fanOut: openFanOut({ channel: 'switchboard:live-events' }),
    maxSockets: share(MAX_STREAMS),
    maxPerAddress: MAX_STREAMS_PER_KEY,
    refusalOf: (credential) => refusalOfStream(credential, STREAM_PERMISSION, directory),
    onError: (error) => logger.warn({ error }, 'stream failed'),
  });
  metrics.gauge('switchboard_sockets', 'Open sockets.', hub.count);
  return hub;
}
