import { Plus, Trash2 } from 'lucide-react';
import { t } from '../app/i18n.ts';
import { Button, IconButton } from '../components/button.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import styles from './clauses.module.css';
import { type ClauseDraft, hasValue, isAboutCohorts, OPERATORS } from './draft.ts';
import { Suggested } from './suggested.tsx';
import { traitAttribute, useCohorts, useGroupTraits, useProperties, useTraits } from './suggestions.ts';

const titleOfOperator = (): Record<string, string> => ({
  eq: '=',
  neq: '≠',
  in: t('is one of'),
  not_in: t('is none of'),
  contains: t('contains'),
  contains_any: t('contains any of'),
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  is_set: t('is set'),
  is_not_set: t('is not set'),
  in_cohort: t('is in the cohort'),
  not_in_cohort: t('is not in the cohort'),
});

interface ClausesProps {
  /** The event of which properties and values are suggested. Undefined: the conditions are on traits of a person. */
  event: string | undefined;
  /** Whether conditions on traits may also name cohorts and traits of groups. */
  withCohorts?: boolean;
  clauses: readonly ClauseDraft[];
  onChange: (clauses: ClauseDraft[]) => void;
}

/** Conditions that must all match. */
export function Clauses({ event, withCohorts = event !== undefined, clauses, onChange }: ClausesProps) {
  const properties = useProperties(event ?? '');
  const traits = useTraits();
  const groupTraits = useGroupTraits(event === undefined && withCohorts);
  const cohorts = useCohorts();
  const operators = titleOfOperator();
  const names =
    event === undefined
      ? [...traits.keys(), ...groupTraits.keys(), 'distinct_id']
      : [
          ...properties.map(({ name }) => name),
          ...[...traits.keys()].map(traitAttribute),
          'distinct_id',
          'session_id',
        ];
  const ops = withCohorts ? OPERATORS : OPERATORS.filter((op) => !isAboutCohorts(op));
  const valuesOf = (attribute: string): readonly string[] =>
    properties.find(({ name }) => name === attribute)?.values.map(({ value }) => value) ??
    traits.get(attribute.replace(/^trait\./, '')) ??
    groupTraits.get(attribute) ??
    [];
  const replace = (at: number, change: Partial<ClauseDraft>) =>
    onChange(clauses.map((one, index) => (index === at ? { ...one, saved: undefined, ...change } : one)));
  return (
    <div className={styles['clauses']}>
      {clauses.map((clause, at) => (
        <div key={at} className={styles['clause']}>
          {isAboutCohorts(clause.op) ? (
            <TextField label={t('Property')} value={t('The person')} readOnly />
          ) : (
            <Suggested
              label={event === undefined ? t('Trait') : t('Property')}
              value={clause.attribute}
              suggestions={names}
              onChange={(attribute) => replace(at, { attribute })}
            />
          )}
          <SelectField
            label={t('Condition')}
            value={clause.op}
            options={ops.map((value) => ({ value, title: operators[value] ?? value }))}
            onChange={({ target }) => {
              const op = OPERATORS.find((one) => one === target.value) ?? 'eq';
              const isOther = isAboutCohorts(op) !== isAboutCohorts(clause.op);
              replace(at, { op, ...(isOther && { value: '' }) });
            }}
          />
          {isAboutCohorts(clause.op) ? (
            <SelectField
              label={t('Cohort')}
              value={clause.value}
              options={[
                { value: '', title: t('Choose a cohort') },
                ...cohorts.filter(({ value }) => value !== clause.value),
                // The value of a query of the API may name several.
                ...(clause.value === ''
                  ? []
                  : [
                      cohorts.find(({ value }) => value === clause.value) ?? {
                        value: clause.value,
                        title: clause.value,
                      },
                    ]),
              ]}
              onChange={({ target }) => replace(at, { value: target.value })}
            />
          ) : hasValue(clause.op) ? (
            <Suggested
              label={t('Value')}
              value={clause.value}
              suggestions={valuesOf(clause.attribute)}
              onChange={(value) => replace(at, { value })}
            />
          ) : (
            <span />
          )}
          <IconButton
            icon={Trash2}
            label={t('Remove filter {number}', { number: at + 1 })}
            onClick={() => onChange(clauses.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      <Button
        kind="quiet"
        icon={Plus}
        onClick={() => onChange([...clauses, { attribute: '', op: 'eq', value: '' }])}
      >
        {t('Add filter')}
      </Button>
    </div>
  );
}
