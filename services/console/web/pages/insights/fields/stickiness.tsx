import { t } from '../../../app/i18n.ts';
import { SelectField } from '../../../components/field.tsx';
import styles from '../builder.module.css';
import type { KindFieldsProps } from './kind-fields.ts';

/** The field of stickiness besides its events. */
export function StickinessFields({ draft, change }: KindFieldsProps) {
  return (
    <div className={styles['row']}>
      <SelectField
        label={t('People were active')}
        value={draft.cumulative ? 'at_least' : 'exactly'}
        options={[
          { value: 'exactly', title: t('In exactly n intervals') },
          { value: 'at_least', title: t('In n or more intervals') },
        ]}
        onChange={({ target }) => change({ cumulative: target.value === 'at_least' })}
      />
    </div>
  );
}
