import { createAiModels } from '../ai-models/ai-models.ts';
import { aiModelsRoutes } from '../ai-models/routes.ts';
import type { Catalogue } from '../config.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { createPlans } from '../plans/plans.ts';
import { plansRoutes } from '../plans/routes.ts';
import { createListRefresh } from '../published-lists/refresh.ts';

/** Opens the lists that anyone may read: plans and AI models. */
export function openPublishedLists({ app, add, database, db, logger }: Catalogue, outbox: Outbox): void {
  const plans = createPlans({ db, outbox });
  const models = createAiModels({ db });
  add(createListRefresh({ database, lists: [plans.published, models.published], logger }));
  plansRoutes(app, { plans });
  aiModelsRoutes(app, { models });
}
