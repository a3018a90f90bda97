import type { Item } from '@switchboard/management';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Section } from '../../components/layout.tsx';
import { Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Count, Time } from '../../components/values.tsx';
import styles from './project.module.css';
import { WIRES } from './wires.ts';

type Usage = Item<'listWireUsage'>;

/** Shows what arrived by which wire: requests, events, SDKs, and what was not kept and why. */
export function Arrivals() {
  const { project } = usePlace();
  const query = useCall(
    ['listWireUsage', project.id],
    (client, options) => client.call('listWireUsage', { params: { projectId: project.id } }, options),
    { refreshMs: 60_000 },
  );
  return (
    <Section title={t('What arrives')}>
      <Loaded query={query}>
        {({ wires }) => {
          const sdks = wires.flatMap(({ wire, sdks: found }) => found.map((sdk) => ({ wire, ...sdk })));
          const losses = wires.flatMap(({ wire, losses: found }) => found.map((loss) => ({ wire, ...loss })));
          return (
            <div className={styles['arrivals']}>
              <Table
                label={t('What arrives')}
                columns={usageColumns()}
                rows={wires}
                keyOf={({ wire }) => wire}
              />
              {sdks.length === 0 ? null : (
                <>
                  <h3>{t('SDKs of the last 7 days')}</h3>
                  <Table
                    label={t('SDKs')}
                    columns={sdkColumns()}
                    rows={sdks}
                    keyOf={({ wire, name, version }) => `${wire} ${name} ${version}`}
                  />
                </>
              )}
              {losses.length === 0 ? null : (
                <>
                  <h3>{t('Not kept in the last 7 days')}</h3>
                  <Table
                    label={t('Not kept')}
                    columns={lossColumns()}
                    rows={losses}
                    keyOf={({ operation, status, reason }) => `${operation} ${status} ${reason}`}
                  />
                </>
              )}
            </div>
          );
        }}
      </Loaded>
    </Section>
  );
}

const nameOf = (wire: Usage['wire']) => (wire === 'switchboard' ? 'Switchboard' : WIRES[wire]);
const number = { width: '96px', align: 'end' } as const;
const total = { width: '128px', align: 'end' } as const;
const last = { width: '104px' } as const;

const usageColumns = (): Column<Usage>[] => [
  { title: t('SDKs of'), cell: ({ wire }) => nameOf(wire) },
  {
    title: t('State'),
    cell: ({ on }) => (on ? <Badge tone="good">{t('On')}</Badge> : <Badge>{t('Off')}</Badge>),
    width: '72px',
    minor: true,
  },
  { title: t('Requests, 24 h'), cell: ({ requests }) => <Count value={requests.day} />, ...total },
  {
    title: t('Requests, 7 days'),
    cell: ({ requests }) => <Count value={requests.week} />,
    ...total,
    minor: 'early',
  },
  {
    title: t('Events, 24 h'),
    cell: ({ events }) => <Count value={events.day} />,
    ...total,
    minor: true,
  },
  {
    title: t('Events, 7 days'),
    cell: ({ events }) => <Count value={events.week} />,
    ...total,
    minor: 'early',
  },
  {
    title: t('Last seen'),
    cell: ({ lastSeenAt }) => (lastSeenAt === null ? '–' : <Time at={lastSeenAt} />),
    ...last,
  },
];

const sdkColumns = (): Column<Usage['sdks'][number] & Pick<Usage, 'wire'>>[] => [
  { title: t('SDK'), cell: ({ name, version }) => `${name} ${version}` },
  { title: t('Product'), cell: ({ wire }) => nameOf(wire), minor: true },
  { title: t('Requests'), cell: ({ requests }) => <Count value={requests} />, ...number },
  { title: t('Last seen'), cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />, ...last },
];

const lossColumns = (): Column<Usage['losses'][number] & Pick<Usage, 'wire'>>[] => [
  { title: t('Reason'), cell: ({ reason }) => <span title={reason}>{reason}</span> },
  { title: t('Product'), cell: ({ wire }) => nameOf(wire), minor: true },
  { title: t('Requests'), cell: ({ requests }) => <Count value={requests} />, ...number },
  { title: t('Last'), cell: ({ lastAt }) => <Time at={lastAt} />, ...last },
];
