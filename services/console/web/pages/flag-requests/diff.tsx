import type { ChangeRequest } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import styles from './flag-requests.module.css';

/** What a request changes: each property before and after. */
export function Diff({ request: { flag, version, changes } }: { request: ChangeRequest }) {
  return (
    <section aria-label={t('Changes')} className={styles['changes']}>
      {flag === null ? (
        <p>{t('Deletes the flag.')}</p>
      ) : version === 0 ? (
        <p>{t('Creates the flag.')}</p>
      ) : null}
      <dl className={styles['diff']}>
        {changes.map(({ property, before, after }) => (
          <div key={property}>
            <dt>{property}</dt>
            <dd>
              {before === undefined ? null : <del>{textOf(before)}</del>}
              {after === undefined ? null : <ins>{textOf(after)}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 1);
