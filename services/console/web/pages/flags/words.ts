import type { Clause, FlagEntry } from '@switchboard/management';
import { t } from '../../app/i18n.ts';

/** A flag without its key. */
export type Definition = Omit<FlagEntry, 'key'>;
export type Rule = NonNullable<FlagEntry['rules']>[number];

/** Returns the name of a cohort by its id. */
export type NameOf = (cohortId: string) => string;

const json = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const listed = (value: unknown): string => (Array.isArray(value) ? value.map(json).join(', ') : json(value));

/** Says a clause in words, such as "plan is one of pro, team". */
export function clauseWords({ attribute, op, value }: Clause, nameOf: NameOf): string {
  const cohorts = () => (Array.isArray(value) ? value : [value]).map((id) => nameOf(String(id))).join(', ');
  const values = { attribute, value: listed(value) };
  switch (op) {
    case 'eq':
      return t('{attribute} is {value}', values);
    case 'neq':
      return t('{attribute} is not {value}', values);
    case 'in':
      return t('{attribute} is one of {value}', values);
    case 'not_in':
      return t('{attribute} is none of {value}', values);
    case 'contains':
      return t('{attribute} contains {value}', values);
    case 'gt':
      return t('{attribute} is above {value}', values);
    case 'gte':
      return t('{attribute} is at least {value}', values);
    case 'lt':
      return t('{attribute} is below {value}', values);
    case 'lte':
      return t('{attribute} is at most {value}', values);
    case 'is_set':
      return t('{attribute} is set', values);
    case 'is_not_set':
      return t('{attribute} is not set', values);
    case 'in_cohort':
      return t('is in the cohort {cohorts}', { cohorts: cohorts() });
    case 'not_in_cohort':
      return t('is not in the cohort {cohorts}', { cohorts: cohorts() });
  }
}

/** A property of a flag in words. */
export interface Line {
  label: string;
  text: string;
}

/** Says the definition of a flag in words, a line for each of its parts. */
export function linesOf(flag: Definition, nameOf: NameOf): Line[] {
  const { enabled, rolloutPercentage, description, type, intent } = flag;
  const { variations = [], prerequisites = [], rules = [], targeting } = flag;
  const optional = (label: string, text: string | null | undefined): Line[] =>
    text ? [{ label, text }] : [];
  return [
    { label: t('State'), text: enabled ? t('On') : t('Off') },
    ...optional(t('Description'), description),
    ...optional(t('Type'), type),
    ...optional(t('Purpose'), intent && intentWords(intent)),
    ...variations.map(({ key, value, weight }) => ({
      label: t('Variation {key}', { key }),
      text: t('{value}, weight {weight}', { value: JSON.stringify(value), weight }),
    })),
    ...prerequisites.map(({ flagKey, variationKey }) => ({
      label: t('Requires {flag}', { flag: flagKey }),
      text: t('to serve {variation}', { variation: variationKey }),
    })),
    ...rules.map((rule, index) => ({
      label: t('Rule {number}', { number: index + 1 }),
      text: ruleWords(rule, nameOf),
    })),
    { label: t('Targeting'), text: peopleWords(targeting, nameOf) },
    { label: t('Rollout'), text: shareWords(rolloutPercentage) },
  ];
}

const shareWords = (percentage: number) => t('{percentage}% of those who match', { percentage });

function peopleWords(targeting: readonly Clause[] = [], nameOf: NameOf): string {
  if (targeting.length === 0) return t('everyone');
  return targeting.map((clause) => clauseWords(clause, nameOf)).join(t(' and '));
}

function ruleWords({ name, targeting, rolloutPercentage = 100, variation }: Rule, nameOf: NameOf): string {
  return [
    ...(name === undefined ? [] : [name]),
    peopleWords(targeting, nameOf),
    ...(rolloutPercentage === 100 ? [] : [shareWords(rolloutPercentage)]),
    ...(variation === undefined ? [] : [t('always served {variation}', { variation })]),
  ].join('; ');
}

export const INTENTS = [
  'release',
  'experiment',
  'operational',
  'kill_switch',
  'permission',
  'sunset',
] as const;

/** Says what a flag is for. */
export function intentWords(intent: (typeof INTENTS)[number]): string {
  switch (intent) {
    case 'release':
      return t('Release');
    case 'experiment':
      return t('Experiment');
    case 'operational':
      return t('Operational');
    case 'kill_switch':
      return t('Kill switch');
    case 'permission':
      return t('Permission');
    case 'sunset':
      return t('Sunset');
  }
}
