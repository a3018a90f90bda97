import { Users } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { type ClauseDraft, clausesOf } from '../../clauses/draft.ts';
import { Button } from '../../components/button.tsx';
import { Failed } from '../../components/state.tsx';
import { useMatching } from '../cohorts/matching.ts';
import styles from './flag.module.css';

/** Counts the people who match clauses now, on demand. */
export function Audience({ clauses }: { clauses: readonly ClauseDraft[] }) {
  const { may } = usePlace();
  const where = JSON.stringify(clausesOf(clauses));
  const [counted, setCounted] = useState<string>();
  const matching = useMatching(where, counted === where);
  if (!may('people.read')) return null;
  return (
    <div className={styles['audience']}>
      <Button kind="quiet" icon={Users} disabled={where === '[]'} onClick={() => setCounted(where)}>
        {t('Count people')}
      </Button>
      <span role="status">
        {counted !== where ? null : matching.error !== null ? (
          <Failed error={matching.error} />
        ) : matching.isFetching ? (
          '…'
        ) : (
          matching.words
        )}
      </span>
    </div>
  );
}
