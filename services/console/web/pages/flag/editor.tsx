import type { FlagEntry } from '@switchboard/management';
import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { queries, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Clauses } from '../../clauses/clauses.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { SelectField, TextArea, TextField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import { saveFlag } from '../flags/save.ts';
import { type Definition, INTENTS, intentWords } from '../flags/words.ts';
import { Audience } from './audience.tsx';
import {
  definitionOf,
  type FlagDraft,
  flagDraft,
  isSame,
  merged,
  problemsOf,
  type Saved,
  TYPES,
  withType,
} from './draft.ts';
import styles from './flag.module.css';
import { Prerequisites } from './prerequisites.tsx';
import { Conflict, Review } from './review.tsx';
import { Rollout, Rules } from './rules.tsx';
import { Variations } from './variations.tsx';

interface EditorProps {
  /** The flag as it is stored now. Undefined for a new one. */
  saved: Saved | undefined;
  flags: readonly FlagEntry[];
  /** Returns the flag that has a key already. Absent where none is created. */
  existing?: (key: string) => Saved | undefined;
  onSaved: (key: string) => void;
}

const NEW: Definition = { enabled: false, rolloutPercentage: 100 };

/** The fields of a flag, what saving changes, and the reason. */
export function Editor({ saved: edited, flags, existing, onSaved }: EditorProps) {
  const { project, may } = usePlace();
  const [key, setKey] = useState(edited?.flag.key ?? '');
  /** The key of the flag that the person changes instead of creating it. */
  const [joined, setJoined] = useState<string>();
  const saved = edited ?? (joined === undefined ? undefined : existing?.(joined));
  const [base, setBase] = useState(saved);
  const [draft, setDraft] = useState(() => flagDraft(saved?.flag ?? NEW));
  const change = (values: Partial<FlagDraft>) => setDraft({ ...draft, ...values });
  const definition = definitionOf(draft);
  const hasEdits = !isSame(definition, base?.flag ?? NEW) || key !== (saved?.flag.key ?? '');
  const hasChanged = saved === undefined || hasEdits;
  const isDone = useRef(false);
  const hasMoved = saved !== undefined && base !== undefined && saved.version !== base.version;
  const rebase = (next: Definition) => {
    setBase(saved);
    setDraft(flagDraft(next));
  };
  // The flag is as the draft says once it is saved.
  if (hasMoved && (!hasChanged || isSame(definition, saved.flag))) rebase(saved.flag);
  const save = useChange(saveFlag, {
    refresh: [
      ['listFlags', project.id],
      ['listFlagVersions', project.id],
      ['listScheduledChanges', project.id],
    ],
  });
  const others = flags.filter((one) => one.key !== key);
  const problems = problemsOf(draft, key, flags);
  const problemAt = (path: string) => problems.find((one) => one.path === path)?.problem;
  const taken = saved === undefined && !save.isPending && !save.isSuccess ? existing?.(key) : undefined;
  const mayWrite = may('flags.write');
  const submit = (reason: string, at: string | undefined) => {
    const version = saved === undefined ? ('new' as const) : base?.version;
    save.mutate(
      { projectId: project.id, key, definition, reason, version, at },
      {
        onSuccess(isMade) {
          // A scheduled or requested change is listed, and the flag stays as it is until then.
          isDone.current = edited === undefined && isMade;
          if (at !== undefined || !isMade) setDraft(flagDraft(base?.flag ?? NEW));
          if (isMade) onSaved(key);
          else if (saved === undefined) {
            setKey('');
            save.reset();
          }
        },
        // Another person may have changed or created the flag.
        onError: () => void queries.invalidateQueries({ queryKey: ['listFlags', project.id] }),
      },
    );
  };
  return (
    <div className={styles['editor']}>
      <Leave isEdited={() => hasEdits && !isDone.current} />
      <fieldset disabled={!mayWrite} className={styles['fields']}>
        <Section title={t('Flag')}>
          {saved === undefined ? (
            <TextField
              label={t('Key')}
              hint={t('Code reads the flag by its key, which does not change later.')}
              value={key}
              required
              maxLength={200}
              spellCheck={false}
              error={taken ? t('The project has a flag with this key.') : undefined}
              onChange={({ target }) => setKey(target.value)}
            />
          ) : null}
          <TextArea
            label={t('Description')}
            rows={2}
            value={draft.description}
            maxLength={1000}
            onChange={({ target }) => change({ description: target.value })}
          />
          <div className={styles['row']}>
            <SelectField
              label={t('State')}
              value={draft.enabled ? 'on' : 'off'}
              options={[
                { value: 'on', title: t('On') },
                { value: 'off', title: t('Off') },
              ]}
              onChange={({ target }) => change({ enabled: target.value === 'on' })}
            />
            <SelectField
              label={t('Type')}
              value={draft.type ?? ''}
              options={[
                { value: '', title: t('On or off') },
                ...TYPES.map((value) => ({ value, title: value })),
              ]}
              onChange={({ target }) =>
                setDraft(
                  withType(
                    draft,
                    TYPES.find((one) => one === target.value),
                  ),
                )
              }
            />
            <SelectField
              label={t('Purpose')}
              value={draft.intent ?? ''}
              options={[
                { value: '', title: t('None') },
                ...INTENTS.map((value) => ({ value, title: intentWords(value) })),
              ]}
              onChange={({ target }) => change({ intent: INTENTS.find((one) => one === target.value) })}
            />
          </div>
        </Section>
        {draft.type === undefined && draft.variations.length === 0 ? null : (
          <Section title={t('Variations')}>
            <Variations
              variations={draft.variations}
              type={draft.type}
              problemAt={problemAt}
              onChange={(variations) => change({ variations })}
            />
          </Section>
        )}
        <Section title={t('Prerequisites')}>
          <Prerequisites
            prerequisites={draft.prerequisites}
            flags={others}
            onChange={(prerequisites) => change({ prerequisites })}
          />
        </Section>
        <Section title={t('Rules')}>
          <p className={styles['muted']}>
            {t('The first rule that includes a person decides. Without one, the flag serves everyone else.')}
          </p>
          <Rules
            rules={draft.rules}
            variations={draft.variations}
            problemAt={problemAt}
            onChange={(rules) => change({ rules })}
          />
        </Section>
        <Section title={draft.rules.length === 0 ? t('Targeting') : t('Everyone else')}>
          <Clauses
            event={undefined}
            withCohorts
            clauses={draft.targeting}
            onChange={(targeting) => change({ targeting })}
          />
          <div className={styles['row']}>
            <Rollout
              value={draft.rolloutPercentage}
              onChange={(rolloutPercentage) => change({ rolloutPercentage })}
            />
          </div>
          <Audience clauses={draft.targeting} />
        </Section>
      </fieldset>
      {mayWrite ? (
        <div className={styles['review']}>
          {taken === undefined ? null : (
            <Conflict
              title={t('The project has a flag with this key')}
              before={taken.flag}
              after={definition}
              onKeep={() => {
                setJoined(key);
                setBase(taken);
                setDraft(flagDraft(merged(NEW, definition, taken.flag)));
              }}
              onDiscard={() => {
                isDone.current = true;
                onSaved(key);
              }}
            />
          )}
          {hasMoved && hasChanged ? (
            <Conflict
              title={t('The flag changed while you edited it')}
              before={base.flag}
              after={saved.flag}
              onKeep={() => rebase(merged(base.flag, definition, saved.flag))}
              onDiscard={() => rebase(saved.flag)}
            />
          ) : null}
          <Review
            flagKey={key}
            before={base?.flag}
            after={definition}
            problems={problems}
            error={taken === undefined ? save.error : null}
            isNew={saved === undefined}
            disabled={save.isPending || hasMoved || !hasChanged || key.trim() === '' || taken !== undefined}
            onSave={submit}
          />
        </div>
      ) : (
        <p>{t('Editors can switch and change this flag.')}</p>
      )}
    </div>
  );
}

/** Asks before a person leaves the page with changes that are not saved. */
function Leave({ isEdited }: { isEdited: () => boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isEdited() && current.pathname !== next.pathname,
    enableBeforeUnload: isEdited,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Confirm
      title={t('Leave without saving?')}
      action={t('Leave page')}
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    >
      <p>{t('Your changes of the flag are lost.')}</p>
    </Confirm>
  );
}
