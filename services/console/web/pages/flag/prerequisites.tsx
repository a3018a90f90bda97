import type { FlagEntry } from '@switchboard/management';
import { Plus, Trash2 } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { Suggested } from '../../clauses/suggested.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { emptyPrerequisite, type PrerequisiteDraft } from './draft.ts';
import styles from './flag.module.css';

const MAX_PREREQUISITES = 50;

interface PrerequisitesProps {
  prerequisites: readonly PrerequisiteDraft[];
  /** The other flags of the project. */
  flags: readonly FlagEntry[];
  onChange: (prerequisites: PrerequisiteDraft[]) => void;
}

/** The flags that must serve a value for this flag to be on. */
export function Prerequisites({ prerequisites, flags, onChange }: PrerequisitesProps) {
  const replace = (at: number, values: Partial<PrerequisiteDraft>) =>
    onChange(prerequisites.map((one, index) => (index === at ? { ...one, ...values } : one)));
  const servedBy = (flagKey: string) => {
    const { variations = [] } = flags.find(({ key }) => key === flagKey) ?? {};
    return [...(variations.length === 0 ? ['on'] : variations.map(({ key }) => key)), 'off'];
  };
  return (
    <>
      {prerequisites.map((one, at) => (
        <fieldset
          key={one.id}
          className={styles['entry']}
          aria-label={t('Prerequisite {number}', { number: at + 1 })}
        >
          <Suggested
            label={t('Required flag')}
            value={one.flagKey}
            suggestions={flags.map(({ key }) => key)}
            onChange={(flagKey) =>
              replace(at, { flagKey, variationKey: one.variationKey || (servedBy(flagKey)[0] ?? '') })
            }
          />
          <Suggested
            label={t('Must serve')}
            value={one.variationKey}
            suggestions={servedBy(one.flagKey)}
            onChange={(variationKey) => replace(at, { variationKey })}
          />
          <IconButton
            icon={Trash2}
            label={t('Remove prerequisite {number}', { number: at + 1 })}
            onClick={() => onChange(prerequisites.filter((_, index) => index !== at))}
          />
        </fieldset>
      ))}
      {prerequisites.length < MAX_PREREQUISITES ? (
        <div>
          <Button kind="quiet" icon={Plus} onClick={() => onChange([...prerequisites, emptyPrerequisite()])}>
            {t('Add prerequisite')}
          </Button>
        </div>
      ) : null}
    </>
  );
}
