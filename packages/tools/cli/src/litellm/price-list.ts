import { type AiModel, aiModelDefinition, id as idOf } from '@switchboard/contracts';
import { z } from 'zod';
import { microDollarsPerMillion } from './micro-dollars.ts';

/** The models of a price list to import. */
export interface Wanted {
  /** Only these providers (`litellm_provider`). If empty, any. */
  providers: readonly string[];
  /** Only these names, where `*` matches anything. If empty, any. */
  only: readonly string[];
  /** Only these modes. Default: chat, responses and completion, the modes priced per token. */
  modes?: readonly string[];
}

export interface PriceList {
  models: Omit<AiModel, 'displayName'>[];
  /** Matching models that cannot be imported, and why. */
  skipped: { id: string; reason: string }[];
}

/** The file is not a price list. */
export class PriceListError extends Error {
  override name = 'PriceListError';
}

const TOKEN_MODES = ['chat', 'responses', 'completion'];

const price = z.union([z.number(), z.string()]).nullish();
const entry = z.looseObject({
  litellm_provider: z.string().optional(),
  mode: z.string().optional(),
  input_cost_per_token: price,
  output_cost_per_token: price,
  cache_creation_input_token_cost: price,
  cache_creation_input_token_cost_above_1hr: price,
  cache_read_input_token_cost: price,
});
type Entry = z.infer<typeof entry>;

/**
 * Reads LiteLLM's `model_prices_and_context_window.json`. A missing cache price is set to the input price, because
 * such a provider bills those tokens at that price. Throws PriceListError.
 */
export function readPriceList(source: string, { providers, only, modes = TOKEN_MODES }: Wanted): PriceList {
  const names = only.map(patternOf);
  const list: PriceList = { models: [], skipped: [] };
  for (const [id, given] of Object.entries(parse(source))) {
    const { success, data } = entry.safeParse(given);
    if (id === 'sample_spec') continue; // LiteLLM documents its fields in this entry.
    if (names.length > 0 && !names.some((name) => name.test(id))) continue;
    if (!success) {
      if (names.length > 0) list.skipped.push({ id, reason: 'its prices are not numbers' });
      continue;
    }
    if (providers.length > 0 && !providers.includes(data.litellm_provider ?? '')) continue;
    if (!modes.includes(data.mode ?? '')) continue;
    const model = modelOf(id, data);
    if (typeof model === 'string') list.skipped.push({ id, reason: model });
    else list.models.push(model);
  }
  return list;
}

function parse(source: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(source));
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not an object of models by name';
    throw new PriceListError(`not a LiteLLM price list: ${why}`);
  }
}

/** Returns the model, or the reason why it cannot be imported. */
function modelOf(id: string, given: Entry): PriceList['models'][number] | string {
  if (!idOf.safeParse(id).success) return 'the name is longer than 200 characters';
  const { input_cost_per_token: inputCost, output_cost_per_token: outputCost } = given;
  if (inputCost == null || outputCost == null) return 'no price per token for input and output';
  const write = given.cache_creation_input_token_cost ?? inputCost;
  const perMillion = {
    input: microDollarsPerMillion(inputCost),
    output: microDollarsPerMillion(outputCost),
    cacheWrite5m: microDollarsPerMillion(write),
    cacheWrite1h: microDollarsPerMillion(given.cache_creation_input_token_cost_above_1hr ?? write),
    cacheRead: microDollarsPerMillion(given.cache_read_input_token_cost ?? inputCost),
  };
  const prices = aiModelDefinition.shape.perMillion.safeParse(perMillion);
  return prices.success ? { id, perMillion: prices.data } : 'a price is negative or too high';
}

function patternOf(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\/-]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`);
}
