import type { AiMarkup, AiModel } from '@switchboard/contracts';
import { BadRequest, NotFound, prepareJson } from '@switchboard/service-kit';
import type { Db, Tx } from '../db.ts';
import { announceLists } from '../lists.ts';
import { createPublishedList } from '../published-list.ts';
import { largestPrice, publishedPrice } from './price.ts';
import {
  findModel,
  listModelRows,
  lockMarkup,
  type ModelRow,
  readMarkup,
  removeModel,
  setMarkup,
  upsertModel,
} from './store.ts';

export type AiModels = ReturnType<typeof createAiModels>;

/** The AI models with their prices before the markup, the markup, and the public list. */
export function createAiModels({ db }: { db: Db }) {
  const published = createPublishedList({
    name: 'AI model list',
    read: () =>
      db.transaction(
        async (tx) => {
          const markupPercent = await readMarkup(tx);
          const models = (await listModelRows(tx)).map(fromRow);
          return prepareJson({ markupPercent, models: models.map((model) => publish(model, markupPercent)) });
        },
        { isolationLevel: 'repeatable read', accessMode: 'read only' },
      ),
  });

  async function change(rule: (tx: Tx) => Promise<void>) {
    await db.transaction(async (tx) => {
      await rule(tx);
      await announceLists(tx);
    });
    await published.reload();
  }

  return {
    published,

    async list(): Promise<AiModel[]> {
      return (await listModelRows(db)).map(fromRow);
    },

    async get(id: string): Promise<AiModel> {
      const row = await findModel(db, id);
      if (row === undefined) throw new NotFound(`There is no AI model ${id}.`);
      return fromRow(row);
    },

    async put(model: AiModel): Promise<AiModel> {
      await change(async (tx) => {
        const markupPercent = await lockMarkup(tx);
        const tooHigh = findTooHighPrice(model, markupPercent);
        if (tooHigh !== undefined) {
          throw new BadRequest(
            `perMillion.${tooHigh}: with the markup of ${markupPercent} % its published price passes 2^53 - 1`,
          );
        }
        await upsertModel(tx, toRow(model));
      });
      return fromRow(toRow(model));
    },

    async remove(id: string): Promise<void> {
      await change((tx) => removeModel(tx, id));
    },

    async getMarkup(): Promise<AiMarkup> {
      return { markupPercent: await readMarkup(db) };
    },

    async putMarkup({ markupPercent }: AiMarkup): Promise<AiMarkup> {
      await change(async (tx) => {
        await lockMarkup(tx);
        for (const model of (await listModelRows(tx)).map(fromRow)) {
          const tooHigh = findTooHighPrice(model, markupPercent);
          if (tooHigh === undefined) continue;
          throw new BadRequest(
            `markupPercent: the published price ${tooHigh} of AI model ${model.id} would pass 2^53 - 1`,
          );
        }
        await setMarkup(tx, markupPercent);
      });
      return { markupPercent };
    },
  };
}

function findTooHighPrice({ perMillion }: AiModel, markupPercent: number): string | undefined {
  return Object.entries(perMillion).find(
    ([, base]) => publishedPrice(base, markupPercent) > largestPrice,
  )?.[0];
}

function publish({ id, displayName, perMillion }: AiModel, markupPercent: number) {
  const price = (base: number) => Number(publishedPrice(base, markupPercent));
  return {
    id,
    displayName,
    perMillion: {
      input: price(perMillion.input),
      output: price(perMillion.output),
      cacheWrite5m: price(perMillion.cacheWrite5m),
      cacheWrite1h: price(perMillion.cacheWrite1h),
      cacheRead: price(perMillion.cacheRead),
    },
  };
}

function toRow({ id, displayName, perMillion }: AiModel): ModelRow {
  const { input, output, cacheWrite5m, cacheWrite1h, cacheRead } = perMillion;
  return { id, displayName, input, output, cacheWrite5m, cacheWrite1h, cacheRead };
}

function fromRow({ id, displayName, ...perMillion }: ModelRow): AiModel {
  return { id, displayName, perMillion };
}
