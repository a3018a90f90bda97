import type { CreateRateLimit } from '@switchboard/http';
import { createComments } from '../comments/comments.ts';
import { commentsRoutes } from '../comments/routes.ts';
import { createCommentsStore } from '../comments/store.ts';
import type { Collaboration } from '../config.ts';
import { createInbox } from '../inbox/inbox.ts';
import { inboxRoutes } from '../inbox/routes.ts';
import { createInboxStore } from '../inbox/store.ts';
import { createMentions } from '../mentions/mentions.ts';
import type { ShareLimits } from '../shares/limits.ts';
import { sharesRoutes } from '../shares/routes.ts';
import { createShares } from '../shares/shares.ts';
import type { Deliveries } from './deliveries.ts';

interface Needs extends Deliveries {
  limit: CreateRateLimit;
  shareLimits: ShareLimits;
}

/** Opens the shares of reports and comments with people. */
export function openShares(service: Collaboration, { limit, shareLimits, ...deliveries }: Needs): void {
  const shares = createShares({ ...common(service, limit, shareLimits, 'shares'), ...deliveries });
  sharesRoutes(service.app, { shares });
}

/** Opens comment threads, which notify mentioned people. */
export function openComments(
  service: Collaboration,
  { limit, shareLimits, ...deliveries }: Needs,
  delaySeconds?: number,
): void {
  const { app, database, db } = service;
  const mentions = createMentions({
    ...common(service, limit, shareLimits, 'mentions'),
    ...deliveries,
    delaySeconds,
  });
  const inbox = createInbox({ ...service, store: createInboxStore(db) });
  inboxRoutes(app, { inbox });
  const store = createCommentsStore(database.prepared);
  commentsRoutes(app, { comments: createComments({ ...service, store, mentions, inbox }) });
}

function common(
  { clock, config, directory }: Collaboration,
  limit: CreateRateLimit,
  { perPerson, perCompany }: ShareLimits,
  what: string,
) {
  return {
    clock,
    directory,
    consoleUrl: config.CONSOLE_URL,
    limit: limit(
      { name: `${what} of a person`, points: perPerson, durationSeconds: 3600 },
      { name: `${what} of a company`, points: perCompany, durationSeconds: 3600 },
    ),
  };
}
