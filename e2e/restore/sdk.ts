import { eventually } from '@switchboard/testkit';
import type { RestoreEnvironment } from './environment.ts';

/** Creates a client that sends the same requests as an SDK, and retries until they are accepted. */
export function createSdk({ url, call }: Pick<RestoreEnvironment, 'url' | 'call'>, key: string) {
  const post = (path: string, body: unknown) =>
    eventually(
      async () => {
        const answer = await call(`${url('ingestion')}${path}`, key, { method: 'POST', body });
        if (answer.status !== 202) throw new Error(`${path}: ${answer.status}`);
      },
      { withinMs: 60_000 },
    );
  const now = () => new Date().toISOString();

  return {
    identify: (distinct_id: string, plan: string) =>
      post('/v1/identify', { distinct_id, properties: { plan } }),

    join: (anonymous_id: string, distinct_id: string) =>
      post('/v1/identify', { distinct_id, properties: { anonymous_id } }),

    /** Sends events with the ids `<prefix>-0`, `<prefix>-1` and so on. */
    events: (prefix: string, count: number) =>
      post('/v1/events', {
        sent_at: now(),
        events: Array.from({ length: count }, (_, i) => ({
          event_id: `${prefix}-${i}`,
          event_name: 'order placed',
          distinct_id: `person-${i}`,
          schema_version: 1,
          timestamp: now(),
        })),
      }),

    replay: (session_id: string) =>
      post('/v1/replay', {
        session_id,
        distinct_id: 'ada',
        seq: 0,
        events: [{ type: 4, timestamp: Date.now() }],
        masked: true,
        schema_version: 1,
        timestamp: now(),
      }),
  };
}
