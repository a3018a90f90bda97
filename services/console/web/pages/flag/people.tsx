import {
  type ClauseCheck,
  compileCohorts,
  type Explanation,
  explain,
  memberships,
  type RolloutCheck,
  type Step,
  type User,
} from '@switchboard/flag-engine';
import type { FlagEntry } from '@switchboard/management';
import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { TextArea, TextField } from '../../components/field.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { FlagState } from '../flags/flag-state.tsx';
import { useCohortNames } from '../flags/use-flags.ts';
import { clauseWords, type NameOf } from '../flags/words.ts';
import styles from './flag.module.css';
import { search } from './search.ts';

interface PeopleProps {
  flag: FlagEntry;
  flags: readonly FlagEntry[];
}

/** Says what the flag serves to a person or to someone with typed traits, and why, step by step. */
export function People({ flag, flags }: PeopleProps) {
  const { may } = usePlace();
  const [{ person, traits }, setSearch] = usePageSearch(search);
  const [entered, setEntered] = useState({ person: person ?? '', traits: traits ?? '' });
  const fault =
    entered.traits.trim() === '' || traitsOf(entered.traits) ? undefined : t('Not a JSON object.');
  const isAsked = person !== undefined || traits !== undefined;
  return (
    <div className={styles['narrow']}>
      <form
        className={styles['fields']}
        aria-label={t('Who gets this?')}
        onSubmit={(event) => {
          event.preventDefault();
          if (fault !== undefined) return;
          setSearch({
            person: entered.person.trim() || undefined,
            traits: entered.traits.trim() || undefined,
          });
        }}
      >
        <TextField
          label={t('Distinct id of a person')}
          value={entered.person}
          maxLength={200}
          onChange={({ target }) => setEntered({ ...entered, person: target.value })}
        />
        <TextArea
          label={t('Traits as JSON (optional)')}
          hint={t('They take the place of those of the person. A trait of a group is {example}.', {
            example: 'group.company.plan',
          })}
          placeholder={'{"plan":"pro"}'}
          rows={2}
          spellCheck={false}
          value={entered.traits}
          error={fault}
          onChange={({ target }) => setEntered({ ...entered, traits: target.value })}
        />
        <div>
          <Button type="submit" kind="primary">
            {t('Check person')}
          </Button>
        </div>
      </form>
      {!isAsked ? null : traits !== undefined ? (
        <ByTraits flag={flag} flags={flags} distinctId={person ?? ''} traits={traitsOf(traits) ?? {}} />
      ) : may('people.read') ? (
        <ByPerson flag={flag} flags={flags} distinctId={person ?? ''} />
      ) : (
        <Empty text={t('Your role cannot see the traits of people. Type the traits instead.')} />
      )}
    </div>
  );
}

function traitsOf(typed: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(typed);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? { ...parsed }
      : undefined;
  } catch {
    return undefined;
  }
}

function ByPerson({ flag, flags, distinctId }: PeopleProps & { distinctId: string }) {
  const { project } = usePlace();
  const query = useCall(['getPerson', project.id, distinctId], (client, options) =>
    client.call('getPerson', { params: { projectId: project.id, distinctId } }, options),
  );
  return (
    <Loaded query={query}>
      {({ traits, groups, cohorts }) => (
        <Answer
          flag={flag}
          flags={flags}
          user={{
            distinctId,
            traits,
            groups: Object.fromEntries(groups.map((group) => [group.type, group.traits])),
            cohorts: new Set(cohorts),
          }}
        />
      )}
    </Loaded>
  );
}

interface ByTraitsProps extends PeopleProps {
  distinctId: string;
  traits: Record<string, unknown>;
}

/** Traits decide the cohorts too. Lists of people and what people did are left out. */
function ByTraits({ flag, flags, distinctId, traits }: ByTraitsProps) {
  const { project, may } = usePlace();
  const { data } = useCall(
    ['listCohorts', project.id],
    (client, options) => client.call('listCohorts', { params: { projectId: project.id } }, options),
    { enabled: may('cohorts.read') },
  );
  const cohorts = compileCohorts(
    (data?.cohorts ?? []).map(({ id, match, did, combine = 'all' }) => ({
      id,
      match,
      did: did === undefined ? undefined : combine,
    })),
  );
  const person = { distinctId, ...withGroups(traits) };
  return (
    <>
      {usesCohorts(flag) ? (
        <p className={styles['muted']}>
          {t(
            'Typed traits decide the cohorts by traits. They place no one in the list of a cohort, or in one by what people did. Check a person without typed traits for those.',
          )}
        </p>
      ) : null}
      <Answer
        flag={flag}
        flags={flags}
        user={{ ...person, cohorts: new Set(memberships(cohorts, person)) }}
      />
    </>
  );
}

const usesCohorts = ({ targeting = [], rules = [] }: FlagEntry): boolean =>
  [...targeting, ...rules.flatMap((rule) => rule.targeting)].some(
    ({ op }) => op === 'in_cohort' || op === 'not_in_cohort',
  );

const GROUP_ATTRIBUTE = /^group\.([^.]+)\.(.+)$/s;

/** Splits typed attributes, such as `plan` and `group.company.plan`, into traits of the person and of groups. */
function withGroups(attributes: Record<string, unknown>) {
  const traits: Record<string, unknown> = {};
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [attribute, value] of Object.entries(attributes)) {
    const [, type, name] = GROUP_ATTRIBUTE.exec(attribute) ?? [];
    if (type === undefined || name === undefined) traits[attribute] = value;
    else groups[type] = { ...groups[type], [name]: value };
  }
  return { traits, groups };
}

function Answer({ flag, flags, user }: PeopleProps & { user: User }) {
  const { project } = usePlace();
  const nameOf = useCohortNames(project.id);
  const found = explain(flags, flag.key, user);
  if (found === undefined) return null;
  const { decision, steps } = found;
  const isOn = decision.reason === 'MATCH';
  return (
    <section aria-label={t('Answer')} className={styles['fields']}>
      <p role="status" className={styles['summary']}>
        <FlagState enabled={isOn} />
        {decision.variant === null ? null : <strong>{decision.variant}</strong>}
        {isOn && decision.value !== true ? <code>{JSON.stringify(decision.value)}</code> : null}
        <span>{reasonWords(flag, found)}</span>
      </p>
      <ol className={styles['steps']}>
        {steps.map((step, at) => (
          <StepLine key={at} flag={flag} step={step} nameOf={nameOf} />
        ))}
      </ol>
    </section>
  );
}

/** Says why the flag is on or off. */
function reasonWords(flag: FlagEntry, { decision, steps }: Explanation): string {
  const last = steps.at(-1);
  switch (decision.reason) {
    case 'MATCH':
      return last?.check === 'rule'
        ? t('The rule {rule} includes the person.', { rule: ruleName(flag, last.index) })
        : t('Every check passed.');
    case 'DISABLED':
      return t('The flag is off.');
    case 'PREREQUISITE_FAILED':
      return t('A flag that this one requires does not serve the variation named here.');
    case 'TARGETING_MISS':
      return t('The person does not match every condition.');
    case 'ROLLOUT_MISS':
      return t('The person is outside of the rollout.');
    case 'ERROR':
      return t('The flag cannot be evaluated.');
  }
}

const ruleName = ({ rules = [] }: FlagEntry, at: number): string =>
  rules[at]?.name ?? t('{number}', { number: at + 1 });

interface StepLineProps {
  flag: FlagEntry;
  step: Step;
  nameOf: NameOf;
}

function StepLine({ flag, step, nameOf }: StepLineProps) {
  return (
    <li>
      <Mark passed={step.passed} /> {titleOf(flag, step)}
      {'clauses' in step && step.clauses.length > 0 ? (
        <ul>
          {step.clauses.map((check, at) => (
            <li key={at}>
              <Mark passed={check.passed} /> {clauseWords(check.clause, nameOf)} <Compared check={check} />
            </li>
          ))}
        </ul>
      ) : null}
      {'rollout' in step ? <Bucket rollout={step.rollout} /> : null}
    </li>
  );
}

function titleOf(flag: FlagEntry, step: Step): string {
  switch (step.check) {
    case 'enabled':
      return t('The flag is on');
    case 'prerequisite':
      return t('{flag} must serve {variation}, and serves {served}', {
        flag: step.prerequisite.flagKey,
        variation: step.prerequisite.variationKey,
        served: step.served ?? t('nothing'),
      });
    case 'rule':
      return t('Rule {number}: {name}', { number: step.index + 1, name: ruleName(flag, step.index) });
    case 'targeting':
      return flag.rules === undefined || flag.rules.length === 0 ? t('Targeting') : t('Everyone else');
    case 'rollout':
      return t('Rollout');
  }
}

function Compared({ check: { clause, value } }: { check: ClauseCheck }) {
  if (clause.op === 'in_cohort' || clause.op === 'not_in_cohort') return null;
  return (
    <span className={styles['muted']}>
      {value === undefined || value === null
        ? t('(not set)')
        : t('(is {value})', { value: typeof value === 'string' ? value : JSON.stringify(value) })}
    </span>
  );
}

function Bucket({ rollout: { percentage, bucket, passed } }: { rollout: RolloutCheck }) {
  if (percentage === 100) return null;
  return (
    <ul>
      <li>
        <Mark passed={passed} />{' '}
        {bucket === undefined
          ? t('A person without an id is in no rollout below 100%.')
          : t('Bucket {bucket} of 100; the rollout includes those up to {percentage}.', {
              bucket,
              percentage,
            })}
      </li>
    </ul>
  );
}

function Mark({ passed }: { passed: boolean }) {
  const Icon = passed ? Check : X;
  return (
    <Icon
      size={16}
      role="img"
      aria-label={passed ? t('Passed') : t('Failed')}
      className={passed ? styles['passed'] : styles['failed']}
    />
  );
}
