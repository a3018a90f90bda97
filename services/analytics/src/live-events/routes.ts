import { streamEvents } from '@switchboard/contracts';
import { RateLimited, type ServiceApp, streamCredential } from '@switchboard/http';
import { encodeOnce, type Hub } from '@switchboard/realtime';
import type { PersonsStore } from '../persons/store.ts';
import type { LiveEvents } from './live-events.ts';
import { STREAM_PERMISSION } from './streams.ts';

interface LiveEventsDeps {
  live: Pick<LiveEvents, 'open'>;
  streams: Hub;
  persons: Pick<PersonsStore, 'idsOf'>;
}

const RETRY_AFTER_SECONDS = 5;
const HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' };

export function liveEventsRoutes(app: ServiceApp, { live, streams, persons }: LiveEventsDeps): void {
  const encode = encodeOnce();

  app.implement(streamEvents, async (c): Promise<Response> => {
    if (c.req.method === 'HEAD') return new Response(null, { headers: HEADERS });
    const { name, distinct_id: distinctId } = c.req.valid('query');
    const project = c.get('project');
    const ids = distinctId === undefined ? undefined : new Set(await persons.idsOf(project.id, distinctId));
    const watch = await live.open();
    let leave: (() => void) | undefined;
    const sharing = [c.env.address, `person ${c.get('person').sub}`, `project ${project.id}`];
    const body = streams.stream(c.env.incoming, sharing, {
      credential: streamCredential(c.get('authority'), STREAM_PERMISSION, project),
      encode,
      onOpen(stream) {
        stream.send({ type: 'ready' });
        leave = watch(project.id, { name, ids }, (message) => stream.send(message));
      },
      onClose: () => leave?.(),
    });
    if (body === undefined) {
      throw new RateLimited(
        'Too many streams from your address, for you or for the project. Retry after the time in Retry-After.',
        RETRY_AFTER_SECONDS,
      );
    }
    // Makes Node.js send the headers immediately.
    return new Response(body, { headers: { ...HEADERS, 'Transfer-Encoding': 'chunked' } });
  });
}
