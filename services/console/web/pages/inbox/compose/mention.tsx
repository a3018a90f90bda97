import type { Member } from '@switchboard/management';
import { t } from '../../../app/i18n.ts';
import styles from '../inbox.module.css';

const MAX_SHOWN = 6;

/** A name that is being typed after an @, and where it begins in the text. */
export interface Typed {
  from: number;
  name: string;
}

/** Returns the name that is typed before the caret. Undefined without an @. */
export function typedBefore(body: string, caret: number): Typed | undefined {
  const [at, name] = /(?:^|\s)@([\p{L}\p{N}._-]*(?: [\p{L}\p{N}._-]*)?)$/u.exec(body.slice(0, caret)) ?? [];
  if (at === undefined || name === undefined) return undefined;
  return { from: caret - name.length - 1, name };
}

/** Returns the members with a word that begins with the typed name. */
export function suggestedFor({ name }: Typed, members: readonly Member[]): readonly Member[] {
  const wanted = name.toLocaleLowerCase();
  return members
    .filter((member) => {
      const folded = member.name.toLocaleLowerCase();
      return folded !== wanted && (folded.startsWith(wanted) || folded.includes(` ${wanted}`));
    })
    .slice(0, MAX_SHOWN);
}

interface MentionsProps {
  id: string;
  members: readonly Member[];
  active: number;
  onChoose: (member: Member) => void;
}

export const mentionId = (id: string, index: number) => `${id}-${index}`;

/** The members that a note can mention. The field has the keys. */
export function Mentions({ id, members, active, onChoose }: MentionsProps) {
  return (
    <div role="listbox" id={id} aria-label={t('Members to mention')} className={styles['mentions']}>
      {members.map((member, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
        <div
          key={member.sub}
          id={mentionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={styles['choice']}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(member)}
        >
          {member.name}
        </div>
      ))}
    </div>
  );
}
