import type { Erasure } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { Badge } from '../../components/badge.tsx';
import { Id } from '../../components/code.tsx';
import { Facts } from '../../components/layout.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';

/** Returns the word for a state. */
export const stateWord = (state: Erasure['state']) => (state === 'done' ? t('Done') : t('Running'));

/** Returns the words for the subject of an erasure. */
export const kindWord = (kind: Erasure['kind']) =>
  ({
    person: t('A person'),
    colleague: t('A colleague'),
    project: t('A project'),
    company: t('The company'),
  })[kind];

function State({ erasure: { state, services } }: { erasure: Erasure }) {
  const done = services.filter(({ doneAt }) => doneAt !== null).length;
  return state === 'done' ? (
    <Badge tone="good">{stateWord(state)}</Badge>
  ) : (
    <Badge tone="warning">{t('{done} of {all} services', { done, all: services.length })}</Badge>
  );
}

/** The columns of a list of erasures. */
export const columns = (): Column<Erasure>[] => [
  { title: t('Erased'), cell: ({ kind }) => kindWord(kind) },
  { title: t('Project'), cell: ({ projectId }) => projectId ?? '–', minor: true },
  { title: t('State'), cell: (erasure) => <State erasure={erasure} />, width: '152px' },
  { title: t('Started'), cell: ({ createdAt }) => <Time at={createdAt} />, width: '112px' },
];

/** How far an erasure is, by service. */
export function Progress({ erasure }: { erasure: Erasure }) {
  const { id, projectId, createdAt, services } = erasure;
  return (
    <>
      <Facts
        facts={[
          [t('Id'), <Id key="id" value={id} name={t('id')} />],
          [t('State'), <State key="state" erasure={erasure} />],
          [t('Project'), projectId ?? '–'],
          [t('Started'), <Time key="started" at={createdAt} />],
        ]}
      />
      <Facts
        facts={services.map(({ region, service, doneAt }) => [
          `${service} (${region})`,
          doneAt === null ? (
            <Badge tone="warning">{t('waiting')}</Badge>
          ) : (
            <>
              {t('done')} <Time at={doneAt} />
            </>
          ),
        ])}
      />
      <p>
        {t(
          'A service is done once it has read and erased all that the event log held at the request. The archive takes the longest.',
        )}
      </p>
    </>
  );
}
