import {
  getArrival,
  getPerson,
  listEventNames,
  listEventProperties,
  listEvents,
  listRejections,
} from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { RejectionsStore } from '../rejections/store.ts';
import type { Respond } from '../results/respond.ts';
import type { FindArrival } from './arrival.ts';
import type { ListEvents } from './events.ts';
import { DAY_MS } from './explore.ts';
import type { ListNames } from './names.ts';
import type { FindPerson } from './person.ts';
import type { ListProperties } from './properties.ts';

interface ExploreRoutesOptions {
  arrival: FindArrival;
  rejections: Pick<RejectionsStore, 'list'>;
  clock: Clock;
  events: ListEvents;
  names: ListNames;
  properties: ListProperties;
  person: FindPerson;
  respond: Respond;
}

export function exploreRoutes(
  app: ServiceApp,
  { arrival, rejections, clock, events, names, properties, person, respond }: ExploreRoutesOptions,
): void {
  app.implement(getArrival, async (c) => respond(c, await arrival(c.req.valid('param').projectId)));
  app.implement(listRejections, async (c) => {
    const since = new Date(clock.now().getTime() - DAY_MS);
    return c.json({ rejections: await rejections.list(c.req.valid('param').projectId, since) }, 200);
  });
  app.implement(listEvents, async (c) => {
    const { distinct_id: distinctId, ...query } = c.req.valid('query');
    return respond(c, await events(c.req.valid('param').projectId, { ...query, distinctId }));
  });
  app.implement(listEventNames, async (c) =>
    respond(c, await names(c.req.valid('param').projectId, c.req.valid('query'))),
  );
  app.implement(listEventProperties, async (c) => {
    const { projectId, name } = c.req.valid('param');
    return respond(c, await properties(projectId, { ...c.req.valid('query'), name }));
  });
  app.implement(getPerson, async (c) => {
    const { projectId, distinctId } = c.req.valid('param');
    return respond(c, await person(projectId, distinctId, c.req.valid('query')));
  });
}
