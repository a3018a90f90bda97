import {
  deleteAiModel,
  getAiMarkup,
  getAiModel,
  listAiModels,
  listManagedAiModels,
  putAiMarkup,
  putAiModel,
} from '@switchboard/contracts';
import { answerPrepared, type ServiceApp } from '@switchboard/http';
import type { AiModels } from './ai-models.ts';

export function aiModelsRoutes(app: ServiceApp, { models }: { models: AiModels }): void {
  app.implement(listAiModels, (c) =>
    answerPrepared(c, models.published.current(), { 'Cache-Control': 'public, max-age=3600' }),
  );
  app.implement(listManagedAiModels, async (c) => c.json({ models: await models.list() }, 200));
  app.implement(getAiModel, async (c) => c.json(await models.get(c.req.valid('param').id), 200));
  app.implement(putAiModel, async (c, { change }) =>
    c.json(await models.put(change, { ...c.req.valid('json'), ...c.req.valid('param') }), 200),
  );
  app.implement(deleteAiModel, async (c, { change }) => {
    await models.remove(change, c.req.valid('param').id);
    return c.body(null, 204);
  });
  app.implement(getAiMarkup, async (c) => c.json(await models.getMarkup(), 200));
  app.implement(putAiMarkup, async (c, { change }) =>
    c.json(await models.putMarkup(change, c.req.valid('json')), 200),
  );
}
