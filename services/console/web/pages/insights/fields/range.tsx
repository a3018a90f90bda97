import { t } from '../../../app/i18n.ts';
import { SelectField, TextField } from '../../../components/field.tsx';
import styles from '../builder.module.css';
import { INTERVALS, type RangeDraft } from '../draft.ts';
import { same } from './same.ts';

/** The last units, or days from one to another. */
export function RangeFields({
  range,
  onChange,
}: {
  range: RangeDraft;
  onChange: (range: RangeDraft) => void;
}) {
  const change = (values: Partial<RangeDraft>) => onChange({ ...range, ...values });
  return (
    <div className={styles['row']}>
      <SelectField
        label={t('Range')}
        value={range.mode}
        options={[
          { value: 'last', title: t('The last') },
          { value: 'days', title: t('Days') },
        ]}
        onChange={({ target }) => change({ mode: target.value === 'days' ? 'days' : 'last' })}
      />
      {range.mode === 'last' ? (
        <>
          <TextField
            label={t('Number')}
            type="number"
            min={1}
            max={400}
            value={range.last}
            onChange={({ target }) => change({ last: Number(target.value) })}
          />
          <SelectField
            label={t('Unit')}
            value={range.unit}
            options={same(INTERVALS)}
            onChange={({ target }) =>
              change({ unit: INTERVALS.find((one) => one === target.value) ?? 'day' })
            }
          />
        </>
      ) : (
        <>
          <TextField
            label={t('From')}
            type="date"
            value={range.from}
            onChange={({ target }) => change({ from: target.value })}
          />
          <TextField
            label={t('To')}
            type="date"
            value={range.to}
            onChange={({ target }) => change({ to: target.value })}
          />
        </>
      )}
    </div>
  );
}
