import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Empty } from '../../components/state.tsx';
import { Crop } from './crop.tsx';
import type { Draft, Member } from './draft.ts';
import styles from './messenger.module.css';
import { newPath, userIdOf } from './pictures.ts';
import { valueTitle } from './words.ts';

const MAX_TEAM = 50;
const TONES = [
  ...(['', 'red', 'orange', 'warm', 'yellow', 'green', 'teal'] as const),
  ...(['cool', 'blue', 'violet', 'purple', 'pink', 'gray'] as const),
];

interface TeamProps {
  draft: Draft;
  /** The addresses of pictures by `avatarUrl`. */
  pictures: Readonly<Record<string, string>>;
  onChange: (draft: Draft) => void;
}

/** The people whom visitors see. The first three are on the start view. */
export function Team({ draft, pictures, onChange }: TeamProps) {
  const { team } = draft.settings;
  const people = usePeople();
  const [asked, setAsked] = useState<{ index: number; file: File }>();
  const set = (next: Member[], added: Draft['pictures'] = {}) =>
    onChange({
      ...draft,
      settings: { ...draft.settings, team: next },
      pictures: { ...draft.pictures, ...added },
    });
  const change = (index: number, next: Partial<Member>) =>
    set(team.map((one, at) => (at === index ? { ...one, ...next } : one)));
  const move = (index: number, by: number) => {
    const next = [...team];
    next.splice(index + by, 0, ...next.splice(index, 1));
    set(next);
  };
  /** The teammate of a picture: the owner of the one before, or the person with this name, or a new one. */
  const teammateOf = (member: Member) =>
    userIdOf(member) ??
    people.find(({ name }) => name === member.name)?.id ??
    `team-${crypto.randomUUID().slice(0, 8)}`;
  const isFull = team.length >= MAX_TEAM;
  return (
    <>
      {team.length === 0 ? <Empty text={t('Visitors see no names yet. Add the people who answer.')} /> : null}
      <ul className={styles['team']}>
        {team.map((member, index) => (
          <li key={`${index} ${team.length}`}>
            <Teammate
              member={member}
              picture={pictures[member.avatarUrl ?? '']}
              onChange={(next) => change(index, next)}
              onPicture={(file) => setAsked({ index, file })}
              onUp={index === 0 ? undefined : () => move(index, -1)}
              onDown={index === team.length - 1 ? undefined : () => move(index, 1)}
              onRemove={() => set(team.filter((_, at) => at !== index))}
            />
          </li>
        ))}
      </ul>
      <AddTeammate
        people={people.filter(({ name }) => !team.some((one) => one.name === name))}
        disabled={isFull}
        onAdd={(added) => set([...team, added])}
      />
      {asked === undefined ? null : (
        <Crop
          file={asked.file}
          onClose={() => setAsked(undefined)}
          onCrop={(address) => {
            const member = team[asked.index];
            setAsked(undefined);
            if (member === undefined) return;
            const avatarUrl = newPath();
            set(
              team.map((one) => (one === member ? { ...one, avatarUrl } : one)),
              { [avatarUrl]: { userId: teammateOf(member), address } },
            );
          }}
        />
      )}
    </>
  );
}

interface Person {
  id: string;
  name: string;
  member: Member;
}

/** The people to choose from: those who answer in this project, then the members of the company. */
function usePeople(): Person[] {
  const { project, company, may } = usePlace();
  const teammates = useCall(['listTeammates', project.id], (client, options) =>
    client.call('listTeammates', { params: { projectId: project.id } }, options),
  );
  const members = useCall(
    ['listMembers', 'names', company.id],
    (client, options) => client.call('listMembers', { params: { companyId: company.id } }, options),
    { enabled: may('directory.read') },
  );
  const known = (teammates.data?.team ?? []).map(({ id, name, initials = '', tone = '', avatarUrl }) => ({
    ...{ id, name },
    member: { name, initials, tone: TONES.find((one) => one === tone) ?? ('' as const), avatarUrl },
  }));
  const others = (members.data?.members ?? [])
    .filter(({ sub }) => !known.some(({ id }) => id === sub))
    .map(({ sub, name }) => ({ id: sub, name, member: { name, initials: '', tone: '' as const } }));
  return [...known, ...others];
}

interface TeammateProps {
  member: Member;
  picture: string | undefined;
  onChange: (change: Partial<Member>) => void;
  onPicture: (file: File) => void;
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
  onRemove: () => void;
}

function Teammate({ member, picture, onChange, onPicture, onUp, onDown, onRemove }: TeammateProps) {
  const { name, initials, tone, avatarUrl } = member;
  const id = useId();
  return (
    <section aria-label={name} className={styles['teammate']}>
      <div className={styles['face']}>
        {picture === undefined ? (
          <span aria-hidden="true">{initials || name.slice(0, 1)}</span>
        ) : (
          <img src={picture} alt={t('Picture of {name}', { name })} />
        )}
      </div>
      <div className={styles['person']}>
        <TextField
          label={t('Name')}
          value={name}
          required
          maxLength={200}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <TextField
          label={t('Initials')}
          value={initials}
          maxLength={10}
          onChange={({ target }) => onChange({ initials: target.value })}
        />
        <SelectField
          label={t('Colour of the initials')}
          value={tone}
          options={TONES.map((value) => ({
            value,
            title: value === '' ? t('By the name') : valueTitle(value),
          }))}
          onChange={({ target }) => onChange({ tone: TONES.find((one) => one === target.value) ?? '' })}
        />
      </div>
      <div className={styles['tools']}>
        <label htmlFor={id} className={styles['file']}>
          {avatarUrl == null ? t('Choose picture') : t('Replace picture')}
          <input
            id={id}
            type="file"
            accept="image/*"
            aria-label={t('Picture of {name}', { name })}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              target.value = '';
              if (file !== undefined) onPicture(file);
            }}
          />
        </label>
        {avatarUrl == null ? null : (
          <Button onClick={() => onChange({ avatarUrl: null })}>{t('Remove picture')}</Button>
        )}
        <IconButton icon={ArrowUp} label={t('Move {name} up', { name })} disabled={!onUp} onClick={onUp} />
        <IconButton
          icon={ArrowDown}
          label={t('Move {name} down', { name })}
          disabled={!onDown}
          onClick={onDown}
        />
        <IconButton icon={Trash2} label={t('Remove {name}', { name })} onClick={onRemove} />
      </div>
    </section>
  );
}

interface AddProps {
  people: readonly Person[];
  disabled: boolean;
  onAdd: (member: Member) => void;
}

/** Adds a person of the company, or a name. */
function AddTeammate({ people, disabled, onAdd }: AddProps) {
  const [name, setName] = useState('');
  const list = useId();
  return (
    <form
      className={styles['add']}
      onSubmit={(event) => {
        event.preventDefault();
        const given = name.trim();
        if (given === '') return;
        onAdd(people.find((one) => one.name === given)?.member ?? { name: given, initials: '', tone: '' });
        setName('');
      }}
    >
      <TextField
        label={t('Another person')}
        list={list}
        value={name}
        maxLength={200}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      <datalist id={list}>
        {people.map((person) => (
          <option key={person.id} value={person.name} />
        ))}
      </datalist>
      <Button type="submit" disabled={disabled || name.trim() === ''}>
        {t('Add person')}
      </Button>
    </form>
  );
}
