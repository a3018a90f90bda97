import type { FlagEntry, Variation } from '@switchboard/contracts';
import { type Draft, Inexpressible, RE_BUCKETED, typeOf } from '../conversion/conversion.ts';
import type { Dependency, Strategy, Variant } from './export.ts';

/** A flag of Unleash in the state of one environment. */
export interface UnleashFlag {
  name: string;
  description: string;
  type: string;
  archived: boolean;
  /** Undefined if the flag is not in the environment. */
  enabled: boolean | undefined;
  strategies: readonly Strategy[];
  variants: readonly Variant[];
  dependencies: readonly Dependency[];
}

/** The variation for the people of a strategy. Absent means one by weight. */
export interface Chosen {
  variation?: string;
  overrides?: { variation: string; contextName: string; values: string[] }[];
}

interface Choices {
  variations: Variation[];
  type: FlagEntry['type'];
  /** In the order of the active strategies. */
  chosen: Chosen[];
}

/**
 * Returns the variations of a flag, and which of them each strategy serves. The variants of a strategy take
 * precedence over those of the flag. Throws Inexpressible.
 */
export function chosenOf(flag: UnleashFlag, draft: Draft): Choices {
  const active = flag.strategies.filter(({ disabled }) => disabled !== true);
  const lists = (active.length === 0 ? [undefined] : active).map((strategy) => listOf(strategy, flag));
  if (lists.every((list) => list.variants.length === 0))
    return { variations: [], type: 'boolean', chosen: active.map(() => ({})) };
  if (lists.some((list) => list.variants.length === 0))
    throw new Inexpressible('strategies with and without variants');
  const several = lists.filter(({ variants }) => onlyOne(variants) === undefined);
  const [first] = several.length > 0 ? several : lists;
  const weighted = first?.variants ?? [];
  if (several.some(({ variants }) => shapeOf(variants) !== shapeOf(weighted)))
    throw new Inexpressible('strategies with different variants');
  for (const { stickiness, groupId } of several)
    if (groupId !== flag.name || !['default', 'userId'].includes(stickiness)) draft.warn(RE_BUCKETED);
  const all = withOthers(
    weighted,
    lists.flatMap(({ variants }) => variants),
  );
  const byDefault = several.length > 0 ? undefined : onlyOne(weighted);
  const values = valuesOf(all);
  return {
    variations: all.map(({ name, weight }, index) => ({ key: name, weight, value: values[index] ?? null })),
    type: typeOf(values),
    chosen: active.map((_, index) => chosenBy(lists[index]?.variants ?? [], byDefault)),
  };
}

interface List {
  variants: readonly Variant[];
  stickiness: string;
  groupId: string;
}

function listOf(strategy: Strategy | undefined, flag: UnleashFlag): List {
  const own = strategy?.variants ?? [];
  const isOwn = own.some(({ weight }) => weight > 0);
  const variants = isOwn ? own : flag.variants;
  const parameters = strategy?.parameters ?? {};
  const inherited = isOwn ? parameters['stickiness'] : undefined;
  return {
    variants: variants.some(({ weight }) => weight > 0) ? variants : [],
    stickiness: variants[0]?.stickiness || String(inherited || 'default'),
    groupId: isOwn ? String(parameters['groupId'] ?? '') : flag.name,
  };
}

/** Returns the name of the only variant with a weight, if no override serves another one. */
function onlyOne(variants: readonly Variant[]): string | undefined {
  const served = variants.filter(({ weight }) => weight > 0);
  return served.length === 1 ? served[0]?.name : undefined;
}

const shapeOf = (variants: readonly Variant[]) =>
  JSON.stringify(variants.map(({ name, weight, payload }) => [name, weight, payload?.type, payload?.value]));

/** Adds the variants that only some strategies serve, without weight. */
function withOthers(weighted: readonly Variant[], others: readonly Variant[]): Variant[] {
  const all = new Map(weighted.map((one) => [one.name, one]));
  for (const other of others) {
    const known = all.get(other.name);
    if (known === undefined) all.set(other.name, { ...other, weight: 0 });
    else if (payloadText(known) !== payloadText(other))
      throw new Inexpressible(`the variant ${other.name} with different payloads`);
  }
  return [...all.values()];
}

const payloadText = ({ payload }: Variant) => JSON.stringify([payload?.type, payload?.value]);

function chosenBy(variants: readonly Variant[], byDefault: string | undefined): Chosen {
  const overrides = variants.flatMap(({ name, overrides: own }) =>
    (own ?? []).map(({ contextName, values }) => ({ variation: name, contextName, values })),
  );
  const only = onlyOne(variants);
  const variation = only === byDefault ? undefined : only;
  return { ...(variation !== undefined && { variation }), ...(overrides.length > 0 && { overrides }) };
}

/** Returns the values of the payloads. The name of a variant is its value if none has a payload. */
function valuesOf(variants: readonly Variant[]) {
  const withoutPayloads = variants.every(({ payload }) => payload == null);
  return variants.map(({ name, payload }) => {
    if (withoutPayloads) return name;
    if (payload == null) return null;
    if (payload.type === 'number' && payload.value.trim() !== '' && Number.isFinite(Number(payload.value)))
      return Number(payload.value);
    return payload.type === 'json' ? parsedJson(name, payload.value) : payload.value;
  });
}

function parsedJson(name: string, text: string) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Inexpressible(`the variant ${name}, with a payload that is not valid JSON`);
  }
}
