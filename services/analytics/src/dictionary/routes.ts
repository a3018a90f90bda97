import {
  deleteDictionaryEntry,
  getDictionaryEntry,
  listDictionary,
  putDictionaryEntry,
} from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Dictionary } from './dictionary.ts';

interface DictionaryDeps {
  dictionary: Dictionary;
  ofProject: ProjectOfRegion;
}

export function dictionaryRoutes(app: ServiceApp, { dictionary, ofProject }: DictionaryDeps): void {
  app.implement(
    listDictionary,
    async (c) => c.json(await dictionary.list(c.req.valid('param').projectId, c.req.valid('query')), 200),
    ofProject,
  );

  app.implement(
    getDictionaryEntry,
    async (c) => {
      const { projectId, ...key } = c.req.valid('param');
      return c.json(await dictionary.get(projectId, key), 200);
    },
    ofProject,
  );

  app.implement(
    putDictionaryEntry,
    async (c, { change }) => {
      const { projectId, ...key } = c.req.valid('param');
      const entry = { ...key, ...c.req.valid('json') };
      return c.json(await dictionary.put(change, projectId, entry), 200);
    },
    ofProject,
  );

  app.implement(
    deleteDictionaryEntry,
    async (c, { change }) => {
      const { projectId, ...key } = c.req.valid('param');
      await dictionary.remove(change, projectId, key);
      return c.body(null, 204);
    },
    ofProject,
  );
}
