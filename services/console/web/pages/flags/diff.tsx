import { t } from '../../app/i18n.ts';
import styles from './flags.module.css';
import { type Definition, linesOf, type NameOf } from './words.ts';

interface Change {
  label: string;
  before: string | undefined;
  after: string | undefined;
}

interface Side {
  /** Undefined: there is no flag. */
  flag: Definition | undefined;
  nameOf: NameOf;
}

/** Returns the parts of a flag that differ, in words. */
export function changesOf(before: Side, after: Side): Change[] {
  const [old, now] = [before, after].map(
    ({ flag, nameOf }) =>
      new Map(flag === undefined ? [] : linesOf(flag, nameOf).map(({ label, text }) => [label, text])),
  );
  const labels = new Set([...(now?.keys() ?? []), ...(old?.keys() ?? [])]);
  return [...labels]
    .map((label) => ({ label, before: old?.get(label), after: now?.get(label) }))
    .filter((change) => change.before !== change.after);
}

interface FlagDiffProps {
  before: Definition | undefined;
  after: Definition | undefined;
  nameOf: NameOf;
  /** Names the cohorts of `before`, if it is a flag of another project. */
  nameBefore?: NameOf;
}

/** The parts of a flag that differ: before, and after. */
export function FlagDiff({ before, after, nameOf, nameBefore = nameOf }: FlagDiffProps) {
  const changes = changesOf({ flag: before, nameOf: nameBefore }, { flag: after, nameOf });
  if (changes.length === 0) return <p className={styles['muted']}>{t('No differences.')}</p>;
  return (
    <dl className={styles['diff']}>
      {changes.map((change) => (
        <div key={change.label}>
          <dt>{change.label}</dt>
          <dd>
            {change.before === undefined ? null : <del>{change.before}</del>}
            {change.after === undefined ? null : <ins>{change.after}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
