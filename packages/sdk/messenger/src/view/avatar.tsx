import { useState } from 'preact/hooks';
import type { Member } from '../core/config.ts';
import { toneOf } from './colours.ts';
import { useAround } from './context.ts';
import { Icon } from './icons.tsx';

type Person = Partial<Member> & Pick<Member, 'name'>;

/** Renders a person's picture, or their initials if none exists or it does not load. */
export function Avatar({ person }: { person: Person }) {
  const { store, config } = useAround();
  const [failed, setFailed] = useState('');
  const member = config.team.find(({ name }) => name === person.name);
  const path = person.avatarUrl ?? member?.avatarUrl;
  const initials = person.initials || member?.initials || initialsOf(person.name);
  if (path !== undefined && path !== failed)
    return (
      <span class="avatar">
        <img src={store.api.avatar(path)} alt="" onError={() => setFailed(path)} />
      </span>
    );
  return (
    <span
      class="avatar initials"
      style={toneOf(person.tone ?? member?.tone ?? '', person.name)}
      aria-hidden="true"
    >
      {initials === '' ? <Icon name="chat" /> : initials}
    </span>
  );
}

const MAX_SHOWN = 3;

/** Renders the first members of the team side by side. */
export function Team() {
  const { config } = useAround();
  const shown = config.team.slice(0, MAX_SHOWN);
  return (
    <span class="team">
      {shown.map((member) => (
        <Avatar key={member.name} person={member} />
      ))}
    </span>
  );
}

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase();
