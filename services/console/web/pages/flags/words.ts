import type { Clause } from '@switchboard/management';
import { t } from '../../app/i18n.ts';

const json = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const listed = (value: unknown): string => (Array.isArray(value) ? value.map(json).join(', ') : json(value));

/** Says a clause in words, such as "plan is one of pro, team". Cohorts are named by `nameOf`. */
export function clauseWords({ attribute, op, value }: Clause, nameOf: (cohortId: string) => string): string {
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

/** Says why a flag is on or off for a person. `rule` is the rule that decided, if one did. */
export function reasonWords(reason: string, rule: string | undefined): string {
  switch (reason) {
    case 'MATCH':
      return rule === undefined
        ? t('Every check passed.')
        : t('The rule {rule} includes the person.', { rule });
    case 'DISABLED':
      return t('The flag is off.');
    case 'PREREQUISITE_FAILED':
      return t('A flag that this one requires does not serve the variation named here.');
    case 'TARGETING_MISS':
      return t('The person does not match every condition.');
    case 'ROLLOUT_MISS':
      return t('The person is outside of the rollout.');
    default:
      return t('The flag could not be evaluated: {reason}.', { reason });
  }
}
