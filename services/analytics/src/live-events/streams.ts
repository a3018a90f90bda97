import type { Permission } from '@switchboard/contracts';
import { type Authority, Forbidden, grantOf, requireStillGranted } from '@switchboard/http';
import { createHub, type Hub, openFanOut } from '@switchboard/realtime';
import { z } from 'zod';
import type { Analytics } from '../config.ts';

const PERMISSION: Permission = 'events.read';
/** The limit of streams of a process. */
const MAX_STREAMS = 1_000;
/** The limit of streams of an address, a person or a project. */
const MAX_STREAMS_PER_KEY = 20;

const credentialSchema = z.object({
  sub: z.string(),
  tokenId: z.string().nullable(),
  project: z.object({ id: z.string(), companyId: z.string() }),
});

/** Returns the credential of a stream, for later checks of its permission. */
export function credentialOf(
  authority: Authority,
  { id, companyId }: { id: string; companyId: string },
): string {
  const { sub, tokenId } = grantOf(authority, PERMISSION);
  return JSON.stringify({ sub, tokenId, project: { id, companyId } } satisfies z.infer<
    typeof credentialSchema
  >);
}

/** Opens the streams of this process. A stream ends when its caller loses the permission. */
export function openStreams({ directory, logger, metrics, share }: Analytics): Hub {
  const hub = createHub({
    fanOut: openFanOut({ channel: 'switchboard:live-events' }),
    maxSockets: share(MAX_STREAMS),
    maxPerAddress: MAX_STREAMS_PER_KEY,
    async refusalOf(credential) {
      const { project, ...grant } = credentialSchema.parse(JSON.parse(credential));
      try {
        await requireStillGranted({ ...grant, everywhere: false }, PERMISSION, project, directory);
        return undefined;
      } catch (error) {
        if (error instanceof Forbidden) return { code: 4403, reason: error.message };
        throw error;
      }
    },
    onError: (error) => logger.warn({ error }, 'stream failed'),
  });
  metrics.gauge('switchboard_sockets', 'Open sockets.', hub.count);
  return hub;
}
