import type { Problem } from '@switchboard/flag-engine';
import { useState } from 'react';
import { t } from '../../app/i18n.ts';
import { type Project, usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { NOW, TextField, timeOf, WhenFields } from '../../components/field.tsx';
import { Bar, Section } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { FlagDiff } from '../flags/diff.tsx';
import { MAX_REASON } from '../flags/switch.tsx';
import { useCohortNames } from '../flags/use-flags.ts';
import type { Definition } from '../flags/words.ts';
import { isSame } from './draft.ts';
import styles from './flag.module.css';

interface ReviewProps {
  flagKey: string;
  before: Definition | undefined;
  after: Definition;
  problems: readonly Problem[];
  error: Error | null;
  isNew: boolean;
  disabled: boolean;
  onSave: (reason: string, at: string | undefined) => void;
}

/** The changes that a save makes, with its reason and time. */
export function Review({ flagKey, before, after, problems, error, isNew, disabled, onSave }: ReviewProps) {
  const { project } = usePlace();
  const [reason, setReason] = useState('');
  const [when, setWhen] = useState(NOW);
  const nameOf = useCohortNames(project.id);
  const action = needsApproval(project, before, after)
    ? t('Request approval')
    : when.isLater
      ? t('Schedule change')
      : isNew
        ? t('Create flag')
        : t('Save flag');
  return (
    <Section title={t('Changes')}>
      <FlagDiff before={before} after={after} nameOf={nameOf} />
      {problems.length === 0 ? null : (
        <ul role="alert" className={styles['problems']}>
          {problems.map(({ path, problem }) => (
            <li key={path}>
              <code>{path}</code>: {problem}
            </li>
          ))}
        </ul>
      )}
      <form
        className={styles['fields']}
        aria-label={t('Save')}
        onSubmit={(event) => {
          event.preventDefault();
          onSave(reason, timeOf(when));
          setReason('');
        }}
      >
        <TextField
          label={t('Reason')}
          hint={t('Shown in the history of the flag.')}
          value={reason}
          maxLength={MAX_REASON}
          onChange={({ target }) => setReason(target.value)}
        />
        {isNew ? null : (
          <div className={styles['row']}>
            <WhenFields when={when} timeLabel={t('Time')} onChange={setWhen} />
          </div>
        )}
        {error === null ? null : <Failed error={error} />}
        <Bar>
          <Button type="submit" kind="primary" disabled={disabled || problems.length > 0}>
            {action}
          </Button>
          {flagKey.trim() === '' ? null : (
            <CopyAs
              call={{
                method: 'PUT',
                path: `/v1/projects/${encodeURIComponent(project.id)}/flags/${encodeURIComponent(flagKey)}`,
                body: after,
              }}
            />
          )}
        </Bar>
      </form>
    </Section>
  );
}

/** Returns whether others must approve a change of a flag. Switching it off alone needs no approval. */
function needsApproval(
  { flagApprovals = 0 }: Project,
  before: Definition | undefined,
  after: Definition,
): boolean {
  const isSwitchOff = before?.enabled === true && isSame({ ...before, enabled: false }, after);
  return flagApprovals > 0 && !isSwitchOff;
}

interface ConflictProps {
  title: string;
  before: Definition;
  after: Definition;
  onKeep: () => void;
  onDiscard: () => void;
}

/** Shows how what another person saved differs from what this one edits. */
export function Conflict({ title, before, after, onKeep, onDiscard }: ConflictProps) {
  const { project } = usePlace();
  const nameOf = useCohortNames(project.id);
  return (
    <section role="alert" className={styles['conflict']}>
      <h2>{title}</h2>
      <FlagDiff before={before} after={after} nameOf={nameOf} />
      <Bar>
        <Button onClick={onKeep}>{t('Keep my changes')}</Button>
        <Button onClick={onDiscard}>{t('Discard my changes')}</Button>
      </Bar>
    </section>
  );
}
