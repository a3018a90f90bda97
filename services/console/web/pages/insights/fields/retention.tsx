import { t } from '../../../app/i18n.ts';
import { Suggested } from '../../../clauses/suggested.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import styles from '../builder.module.css';
import type { KindFieldsProps } from './kind-fields.ts';

/** The fields of retention besides its events. */
export function RetentionFields({ draft, properties, change }: KindFieldsProps) {
  return (
    <div className={styles['row']}>
      <TextField
        label={t('Periods')}
        type="number"
        min={1}
        max={60}
        value={draft.periods}
        onChange={({ target }) => change({ periods: Number(target.value) })}
      />
      <SelectField
        label={t('People begin')}
        value={draft.mode}
        options={[
          { value: 'first', title: t('At their first start event') },
          { value: 'every', title: t('In each interval with a start event') },
        ]}
        onChange={({ target }) => change({ mode: target.value === 'every' ? 'every' : 'first' })}
      />
      <SelectField
        label={t('People return')}
        value={draft.retained}
        options={[
          { value: 'on', title: t('In the interval') },
          { value: 'on_or_after', title: t('In the interval or later') },
        ]}
        onChange={({ target }) => change({ retained: target.value === 'on_or_after' ? 'on_or_after' : 'on' })}
      />
      {draft.retained === 'on' ? (
        <Suggested
          label={t('Add up the property')}
          placeholder={t('Count people')}
          value={draft.weight}
          suggestions={properties}
          onChange={(weight) => change({ weight })}
        />
      ) : null}
    </div>
  );
}
