import { type AiModel, aiModelDefinition, id as idOf } from '@switchboard/contracts';
import { z } from 'zod';
import { microDollarsPerMillion } from './micro-dollars.ts';

/** Which models of a price list are wanted. */
export interface Wanted {
  /** Those of these providers (`litellm_provider`); of any when empty. */
  providers: readonly string[];
  /** Those with these names, where `*` stands for anything; any when empty. */
  only: readonly string[];
  /** Those of these modes; chat, responses and completion when absent: the others are not priced by the token. */
  modes?: readonly string[];
}

export interface PriceList {
  models: Omit<AiModel, 'displayName'>[];
  /** Wanted models that cannot be imported, and why. */
  skipped: { id: string; reason: string }[];
}

/** The price list is not one; the message says why. */
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
 * Reads LiteLLM's `model_prices_and_context_window.json`. A price for writing to or reading from the cache that
 * the list does not have is the one for input: such a provider bills those tokens as any other. Throws
 * PriceListError.
 */
export function readPriceList(source: string, { providers, only, modes = TOKEN_MODES }: Wanted): PriceList {
  const names = only.map(patternOf);
  const list: PriceList = { models: [], skipped: [] };
  for (const [id, given] of Object.entries(parse(source))) {
    const { success, data } = entry.safeParse(given);
    if (id === 'sample_spec') continue; // LiteLLM explains its fields there.
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
    const why = error instanceof SyntaxError ? error.message : 'it is no object of models by name';
    throw new PriceListError(`not a price list of LiteLLM: ${why}`);
  }
}

/** The model, or why there is none. */
function modelOf(id: string, given: Entry): PriceList['models'][number] | string {
  if (!idOf.safeParse(id).success) return 'its name is longer than 200 characters';
  const { input_cost_per_token: inputCost, output_cost_per_token: outputCost } = given;
  if (inputCost == null || outputCost == null) return 'it has no price per token for input and output';
  const write = given.cache_creation_input_token_cost ?? inputCost;
  const perMillion = {
    input: microDollarsPerMillion(inputCost),
    output: microDollarsPerMillion(outputCost),
    cacheWrite5m: microDollarsPerMillion(write),
    cacheWrite1h: microDollarsPerMillion(given.cache_creation_input_token_cost_above_1hr ?? write),
    cacheRead: microDollarsPerMillion(given.cache_read_input_token_cost ?? inputCost),
  };
  const prices = aiModelDefinition.shape.perMillion.safeParse(perMillion);
  return prices.success ? { id, perMillion: prices.data } : 'a price of it is negative or too high';
}

function patternOf(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\/-]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`);
}
