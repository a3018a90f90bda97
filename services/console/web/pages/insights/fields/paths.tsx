import { t } from '../../../app/i18n.ts';
import { Suggested } from '../../../clauses/suggested.tsx';
import { SelectField } from '../../../components/field.tsx';
import styles from '../builder.module.css';
import { DIRECTIONS } from '../draft.ts';
import type { KindFieldsProps } from './kind-fields.ts';
import { WindowFields } from './window.tsx';

/** The fields of paths besides their events. */
export function PathsFields({ draft, properties, change }: KindFieldsProps) {
  return (
    <div className={styles['row']}>
      <SelectField
        label={t('What people did')}
        value={draft.direction}
        options={[
          { value: 'after', title: t('After an event') },
          { value: 'before', title: t('Before an event') },
          { value: 'between', title: t('Between two events') },
        ]}
        onChange={({ target }) =>
          change({ direction: DIRECTIONS.find((one) => one === target.value) ?? 'after' })
        }
      />
      <Suggested
        label={t('Name events by')}
        placeholder={t('Their names')}
        value={draft.namedBy}
        suggestions={properties}
        onChange={(namedBy) => change({ namedBy })}
      />
      <WindowFields window={draft.window} onChange={(window) => change({ window })} />
    </div>
  );
}
