import type { ListedPerson } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';

/** Returns the columns of a list of people. */
export function peopleColumns(): Column<ListedPerson>[] {
  return [
    { title: t('Person'), cell: (person) => nameOf(person) },
    { title: t('Email'), cell: ({ traits }) => textOf(traits['email']) ?? '–', minor: true },
    { title: t('Ids'), cell: ({ ids }) => String(ids.length), width: '64px', align: 'end', minor: true },
    {
      title: t('Last seen'),
      cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} /> : '–'),
      width: '128px',
    },
  ];
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** Returns the name of a person, or else the id. */
export const nameOf = ({ distinctId, traits }: Pick<ListedPerson, 'distinctId' | 'traits'>): string =>
  textOf(traits['name']) ?? distinctId;
