import type { AiMarkup, AiModel } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { type AuditedChange, BadRequest, NotFound, type Prepared, prepareJson } from '@switchboard/http';
import { createPublishedList, type PublishedList } from '../published-lists/published-list.ts';
import { createPublishedListsStore } from '../published-lists/store.ts';
import { type AiModelRow, type AiModelsStore, createAiModelsStore } from './store.ts';

/** The largest integer that a JSON number represents exactly: 2^53 - 1. */
const MAX_PRICE = BigInt(Number.MAX_SAFE_INTEGER);

/** AI models with their prices before markup, and the markup. */
export interface AiModels {
  /** The public list, with prices after markup. */
  published: PublishedList<Prepared>;
  list(): Promise<AiModel[]>;
  /** Throws NotFound. */
  get(id: string): Promise<AiModel>;
  /** Throws BadRequest when a price after markup would exceed 2^53 - 1. */
  put(change: AuditedChange, model: AiModel): Promise<AiModel>;
  remove(change: AuditedChange, id: string): Promise<void>;
  getMarkup(): Promise<AiMarkup>;
  /** Throws BadRequest when a price after markup would exceed 2^53 - 1. */
  putMarkup(change: AuditedChange, markup: AiMarkup): Promise<AiMarkup>;
}

export function createAiModels({ db }: { db: Db }): AiModels {
  const store = createAiModelsStore(db);
  const published = createPublishedList({
    name: 'AI model list',
    read: () =>
      db.transaction(
        async (tx) => {
          const snapshot = createAiModelsStore(tx);
          const markupPercent = await snapshot.readMarkup();
          const models = (await snapshot.list()).map(fromRow);
          return prepareJson({ markupPercent, models: models.map((model) => publish(model, markupPercent)) });
        },
        { isolationLevel: 'repeatable read', accessMode: 'read only' },
      ),
  });

  async function make(change: AuditedChange, rule: (models: AiModelsStore) => Promise<void>): Promise<void> {
    await change.transaction(async (tx) => {
      await rule(createAiModelsStore(tx));
      await createPublishedListsStore(tx).notifyChange();
    });
    await published.reload();
  }

  return {
    published,

    async list() {
      return (await store.list()).map(fromRow);
    },

    async get(id) {
      const row = await store.find(id);
      if (row === undefined) throw new NotFound('AI model not found.');
      return fromRow(row);
    },

    async put(change, model) {
      const row = toRow(model);
      await make(change, async (models) => {
        const markupPercent = await models.lockMarkup();
        const tooHigh = findTooHighPrice(model, markupPercent);
        if (tooHigh !== undefined) {
          throw new BadRequest(
            `perMillion.${tooHigh}: exceeds 2^53 - 1 after the markup of ${markupPercent}%; lower the price or the markup`,
          );
        }
        await models.upsert(row);
      });
      return fromRow(row);
    },

    async remove(change, id) {
      await make(change, (models) => models.remove(id));
    },

    async getMarkup() {
      return { markupPercent: await store.readMarkup() };
    },

    async putMarkup(change, { markupPercent }) {
      await make(change, async (models) => {
        await models.lockMarkup();
        for (const model of (await models.list()).map(fromRow)) {
          const tooHigh = findTooHighPrice(model, markupPercent);
          if (tooHigh === undefined) continue;
          throw new BadRequest(
            `markupPercent: raises the price ${tooHigh} of AI model ${model.id} above 2^53 - 1`,
          );
        }
        await models.setMarkup(markupPercent);
      });
      return { markupPercent };
    },
  };
}

function findTooHighPrice({ perMillion }: AiModel, markupPercent: number): string | undefined {
  return Object.entries(perMillion).find(([, base]) => publishedPrice(base, markupPercent) > MAX_PRICE)?.[0];
}

/** Returns ceil(base x (100 + markupPercent) / 100), exactly, in micro-dollars per million tokens like `base`. */
export function publishedPrice(base: number, markupPercent: number): bigint {
  return (BigInt(base) * BigInt(100 + markupPercent) + 99n) / 100n;
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

function toRow({ id, displayName, perMillion }: AiModel): AiModelRow {
  const { input, output, cacheWrite5m, cacheWrite1h, cacheRead } = perMillion;
  return { id, displayName, input, output, cacheWrite5m, cacheWrite1h, cacheRead };
}

function fromRow({ id, displayName, ...perMillion }: AiModelRow): AiModel {
  return { id, displayName, perMillion };
}
