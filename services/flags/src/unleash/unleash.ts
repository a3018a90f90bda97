import { estimateSize } from '@switchboard/engine';
import { decideAll } from '@switchboard/flag-engine';
import { type Prepared, prepareJson } from '@switchboard/http';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { bytesOf, type CachedText, storedFlags } from '../rulesets/ruleset.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';
import type { Tallies } from '../usage/tallies.ts';
import { featuresOf, type Omitted, payloadOf } from './features.ts';

/** How often an SDK served what a flag is, since its last report. */
interface Reported {
  yes?: unknown;
  no?: unknown;
  variants?: Readonly<Record<string, unknown>>;
}

/** A flag that is on for a person. */
interface Toggle {
  name: string;
  enabled: true;
  impressionData: boolean;
  variant: object;
}

/** A person as Unleash's SDKs describe them. */
export interface UnleashContext {
  userId: string;
  properties: Readonly<Record<string, unknown>>;
}

/** The flags of a project in the language of Unleash. */
export interface Unleash {
  features(projectId: string): Promise<Prepared>;
  omitted(projectId: string): Promise<readonly Omitted[]>;
  /** Returns the flags that are on for a person. The properties override stored traits. */
  toggles(projectId: string, context: UnleashContext): Promise<Prepared>;
  /** Counts evaluations that an SDK reports. */
  report(projectId: string, reported: Readonly<Record<string, Reported>>): Promise<void>;
}

interface UnleashOptions {
  rulesets: Pick<Rulesets, 'get' | 'text' | 'derived'>;
  evaluation: Pick<Evaluation, 'resolve'>;
  tallies: Pick<Tallies, 'addReported'>;
}

export function createUnleash({ rulesets, evaluation, tallies }: UnleashOptions): Unleash {
  /** The texts are derived once for each ruleset. */
  const known = new WeakMap<CachedText, { body: Prepared; omitted: readonly Omitted[] }>();

  async function derived(projectId: string) {
    const text = await rulesets.text(projectId);
    const before = known.get(text);
    if (before !== undefined) return before;
    const { features, omitted } = featuresOf(storedFlags(text));
    const made = { body: prepareJson({ version: 2, features, segments: [] }), omitted };
    known.set(text, made);
    rulesets.derived(projectId, text, bytesOf(made.body.body) + estimateSize(omitted));
    return made;
  }

  return {
    features: async (projectId) => (await derived(projectId)).body,
    omitted: async (projectId) => (await derived(projectId)).omitted,

    async toggles(projectId, { userId, properties }) {
      const { ruleset, user } = await evaluation.resolve({
        projectId,
        distinctId: userId,
        attributes: properties,
      });
      const toggles = decideAll(ruleset.compiled, user)
        .filter(({ reason }) => reason === 'MATCH')
        .map(({ key, value, variant }): Toggle => {
          const isServed = variant !== null;
          return {
            name: key,
            enabled: true,
            impressionData: false,
            variant: {
              name: variant ?? 'disabled',
              enabled: isServed,
              feature_enabled: true,
              ...(isServed && { payload: payloadOf(value) }),
            },
          };
        });
      return prepareJson({ toggles });
    },

    async report(projectId, reported) {
      const ruleset = await rulesets.get(projectId);
      const add = (key: string, variation: string, count: unknown) => {
        if (typeof count === 'number' && Number.isSafeInteger(count) && count > 0 && count <= MAX_COUNT)
          tallies.addReported(projectId, ruleset, { key, variation, count });
      };
      for (const [key, { yes, no, variants = {} }] of Object.entries(reported)) {
        add(key, 'on', yes);
        add(key, 'off', no);
        for (const [variation, count] of Object.entries(variants)) add(key, variation, count);
      }
    },
  };
}

/** More evaluations of a flag than an SDK makes between two reports. */
const MAX_COUNT = 1_000_000_000;
