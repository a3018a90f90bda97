import { Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../../app/i18n.ts';
import { Clauses } from '../../../clauses/clauses.tsx';
import { Suggested } from '../../../clauses/suggested.tsx';
import { useEventNames, useProperties } from '../../../clauses/suggestions.ts';
import { IconButton } from '../../../components/button.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import styles from '../builder.module.css';
import { AMOUNTS, type Kind, MEASURES, type SeriesDraft } from '../draft.ts';
import { same } from './same.ts';

const hasNumbers = ({ types }: { types: readonly string[] }) => types.includes('number');

/** The kinds with events that have no name of their own. */
const UNNAMED: ReadonlySet<string> = new Set(['retention', 'lifecycle', 'paths', 'excluded']);

interface SeriesFieldsProps {
  kind: Kind | 'excluded';
  label: string;
  series: SeriesDraft;
  onChange: (series: SeriesDraft) => void;
  onRemove: (() => void) | undefined;
  /** Further fields. */
  children?: ReactNode;
}

/** The event of a series, step or other part of a query, its conditions and its measure. */
export function SeriesFields({ kind, label, series, onChange, onRemove, children }: SeriesFieldsProps) {
  const names = useEventNames();
  const properties = useProperties(series.event);
  const change = (values: Partial<SeriesDraft>) => onChange({ ...series, ...values });
  const isAmount = kind === 'trends' && AMOUNTS.includes(series.measure);
  const measured = series.measure === 'unique' ? properties : properties.filter(hasNumbers);
  return (
    <fieldset className={styles['series']}>
      <legend>{label}</legend>
      <div className={styles['row']}>
        <Suggested
          label={t('Event')}
          value={series.event}
          suggestions={names}
          onChange={(event) => change({ event })}
        />
        {kind === 'trends' ? (
          <SelectField
            label={t('Measure')}
            value={series.measure}
            options={same(MEASURES)}
            onChange={({ target }) =>
              change({ measure: MEASURES.find((one) => one === target.value) ?? 'events' })
            }
          />
        ) : null}
        {isAmount ? (
          <Suggested
            label={t('Of the property')}
            value={series.property}
            suggestions={measured.map(({ name }) => name)}
            onChange={(property) => change({ property })}
          />
        ) : null}
        {UNNAMED.has(kind) ? null : (
          <TextField
            label={t('Name (optional)')}
            value={series.name}
            maxLength={200}
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
        {children}
        {onRemove === undefined ? null : (
          <IconButton icon={Trash2} label={t('Remove {name}', { name: label })} onClick={onRemove} />
        )}
      </div>
      {kind === 'lifecycle' ? null : (
        <Clauses event={series.event} clauses={series.where} onChange={(where) => change({ where })} />
      )}
    </fieldset>
  );
}
