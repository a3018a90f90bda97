import type { RefetchEvaluation } from '@switchboard/contracts';

/**
 * Formats the messages of live changes as events of an event stream. `ready` becomes an event too, so that a
 * client misses no change between its evaluation and its stream. It is left out if the client's last event is
 * of that change.
 */
export function changeEvent(lastEventId: string | undefined): (message: object) => string {
  return (message) => {
    const generatedAt = 'generatedAt' in message ? String(message.generatedAt) : '';
    const isReady = 'type' in message && message.type === 'ready';
    if (isReady && generatedAt === lastEventId) return ': ready\n\n';
    const lastModified = Math.floor(Date.parse(generatedAt) / 1000);
    const data: RefetchEvaluation = { type: 'refetchEvaluation', etag: generatedAt, lastModified };
    return `id: ${generatedAt}\ndata: ${JSON.stringify(data)}\n\n`;
  };
}
