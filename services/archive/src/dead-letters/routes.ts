import { getDeadLetter, listDeadLetters, replayDeadLetters } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { DeadLetters } from './dead-letters.ts';

export function deadLettersRoutes(app: ServiceApp, { deadLetters }: { deadLetters: DeadLetters }): void {
  app.implement(listDeadLetters, async (c) => {
    const { cursor, limit, ...filter } = c.req.valid('query');
    return c.json(await deadLetters.list(filter, { cursor, limit }), 200);
  });
  app.implement(getDeadLetter, async (c) => {
    const { topic, ...place } = c.req.valid('param');
    return c.json(await deadLetters.get(topic, place), 200);
  });
  app.implement(replayDeadLetters, async (c, { change }) =>
    c.json(await deadLetters.replay(change, c.req.valid('json')), 200),
  );
}
