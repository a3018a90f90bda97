import { ingestEvents } from '@switchboard/contracts';
import { headerOf, type OperationEnv, type Quota, type ServiceApp, type Throttle } from '@switchboard/http';
import type { Context } from 'hono';
import { answerDropped, noneAccepted } from '../throttle/dropped.ts';
import { createBots } from './bots.ts';
import { type EventLines, eventLines } from './event-lines.ts';
import type { Events } from './events.ts';
import { scanBatch } from './scan/scan-batch.ts';
import { sentBy } from './sent-by.ts';

interface EventsRoutes {
  events: Events;
  quota: Quota;
  throttle: Throttle;
}

export function eventsRoutes(app: ServiceApp, { events, quota, throttle }: EventsRoutes): void {
  const isBot = createBots();
  function accept(c: Context<OperationEnv<'ingestion'>>, batch: EventLines) {
    const project = c.get('project');
    throttle.charge(project, batch.lines.length);
    c.env.sent = sentBy(batch);
    return respond(c, events.accept(project.id, batch, isBot(headerOf(c, 'user-agent'))));
  }

  app.implement(ingestEvents, (c, { input }) => accept(c, input), {
    quota,
    authorize: answerDropped(throttle, noneAccepted),
    parser: { parse: scanBatch, convert: eventLines },
  });
}

/** Separate, and its caller is not async: otherwise the batch and the body would stay in memory during the wait. */
async function respond(c: Context, accepting: Promise<number>) {
  return c.json({ accepted: await accepting }, 202);
}
