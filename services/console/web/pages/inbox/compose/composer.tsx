import type { Member, SupportSettings } from '@switchboard/management';
import { Paperclip, X } from 'lucide-react';
import { useId, useImperativeHandle, useRef, useState } from 'react';
import { t } from '../../../app/i18n.ts';
import { Button, IconButton, withKey } from '../../../components/button.tsx';
import styles from '../inbox.module.css';
import { type Kind, useKept } from './drafts.ts';
import { upload } from './files.ts';
import { Mentions, mentionId, suggestedFor, type Typed, typedBefore } from './mention.tsx';
import { SavedReplies } from './saved-replies.tsx';
import { keptKey, type Place, send } from './sending.ts';

export interface ComposerHandle {
  write(kind: Kind): void;
  insertSaved(): void;
}

interface ComposerProps {
  ref: React.Ref<ComposerHandle>;
  place: Place;
  members: readonly Member[];
  savedReplies: SupportSettings['savedReplies'];
  /** The values of the variables of saved replies. */
  values: Readonly<Record<string, string>>;
  onTyping: () => void;
}

const MAX_FILES = 3;

/** The field for replies and private notes. Each conversation keeps its drafts. */
export function Composer({ ref, place, members, savedReplies, values, onTyping }: ComposerProps) {
  const { draft, setDraft } = useKept(keptKey(place));
  const { kind, uploads } = draft;
  const field = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const [isInserting, setInserting] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [typed, setTyped] = useState<Typed>();
  const [chosen, setChosen] = useState(0);
  const mentionsId = useId();
  const suggested = kind === 'note' && typed !== undefined ? suggestedFor(typed, members) : [];
  const active = Math.min(chosen, suggested.length - 1);
  const body = draft[kind];
  const files = kind === 'reply' ? uploads : [];
  const isEmpty = body.trim() === '' && files.length === 0;

  // At once, because the next keys are typed into it.
  const focus = () => field.current?.focus();
  useImperativeHandle(ref, () => ({
    write(wanted) {
      setDraft({ kind: wanted });
      focus();
    },
    insertSaved: () => setInserting(true),
  }));

  function submit(): void {
    if (isEmpty) return;
    const mentions = kind === 'note' ? mentionedIn(body, members) : [];
    const at = new Date().toISOString();
    const text = { key: crypto.randomUUID(), kind, body, mentions, uploads: files, at, error: undefined };
    setDraft({ [kind]: '', ...(kind === 'reply' && { uploads: [] }) });
    void send(place, text);
  }

  /** Completes the name that is typed after an @. */
  function mention(member: Member | undefined): void {
    if (typed === undefined || member === undefined) return;
    const { from, name } = typed;
    const before = `${body.slice(0, from)}@${member.name} `;
    setDraft({ note: before + body.slice(from + 1 + name.length) });
    setTyped(undefined);
    focus();
    requestAnimationFrame(() => field.current?.setSelectionRange(before.length, before.length));
  }

  /** Moves in the suggestions, chooses one or closes them. Returns false for other keys. */
  function suggestionKey(key: string): boolean {
    if (suggested.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step !== undefined) setChosen((active + step + suggested.length) % suggested.length);
    else if (key === 'Enter' || key === 'Tab') mention(suggested[active]);
    else if (key === 'Escape') setTyped(undefined);
    else return false;
    return true;
  }

  async function attach(added: Iterable<File>): Promise<void> {
    setProblem(undefined);
    let known = uploads;
    for (const file of added) {
      if (known.length >= MAX_FILES) return setProblem(t('A reply has at most 3 files.'));
      try {
        known = [...known, await upload(place, file)];
        setDraft({ kind: 'reply', uploads: known });
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
      }
    }
  }

  const tab = (one: Kind, title: string) => (
    <button
      type="button"
      role="tab"
      aria-selected={kind === one}
      {...withKey(one === 'reply' ? 'r' : 'n')}
      className={styles['tab']}
      onClick={() => {
        setDraft({ kind: one });
        focus();
      }}
    >
      {title}
    </button>
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be chosen by the button too
    <div
      className={`${styles['composer']} ${kind === 'note' ? styles['composesNote'] : ''}`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach([...event.dataTransfer.files]);
      }}
    >
      <div role="tablist" aria-label={t('Kind of text')} className={styles['tabs']}>
        {tab('reply', t('Reply'))}
        {tab('note', t('Private note'))}
      </div>
      <textarea
        ref={field}
        aria-label={kind === 'reply' ? t('Reply') : t('Private note')}
        placeholder={
          kind === 'reply' ? t('Reply to the visitor') : t('Visitors never see notes. @ mentions a member.')
        }
        rows={3}
        value={body}
        aria-autocomplete={kind === 'note' ? 'list' : undefined}
        aria-controls={suggested.length > 0 ? mentionsId : undefined}
        aria-activedescendant={suggested.length > 0 ? mentionId(mentionsId, active) : undefined}
        onChange={({ target }) => {
          setDraft({ [kind]: target.value });
          setTyped(typedBefore(target.value, target.selectionStart));
          setChosen(0);
          if (kind === 'reply') onTyping();
        }}
        onPaste={(event) => {
          if (event.clipboardData.files.length === 0) return;
          event.preventDefault();
          void attach([...event.clipboardData.files]);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
          else if (suggestionKey(event.key)) event.stopPropagation();
          else if (event.key === 'Escape') event.currentTarget.blur();
          else return;
          event.preventDefault();
        }}
      />
      {suggested.length === 0 ? null : (
        <Mentions id={mentionsId} members={suggested} active={active} onChoose={mention} />
      )}
      {files.map((file) => (
        <p key={file.id} className={styles['upload']}>
          {file.name}
          <IconButton
            icon={X}
            label={t('Remove {name}', { name: file.name })}
            onClick={() => setDraft({ uploads: uploads.filter(({ id }) => id !== file.id) })}
          />
        </p>
      ))}
      {problem === undefined ? null : (
        <p role="alert" className={styles['problem']}>
          {problem}
        </p>
      )}
      <div className={styles['actions']}>
        <input
          ref={chooser}
          type="file"
          hidden
          multiple
          accept="image/png,image/jpeg,image/webp,image/gif,application/pdf"
          onChange={({ target }) => {
            void attach([...(target.files ?? [])]);
            target.value = '';
          }}
        />
        <IconButton
          keys="u"
          icon={Paperclip}
          label={t('Attach a file')}
          onClick={() => chooser.current?.click()}
        />
        <Button keys="/" kind="quiet" onClick={() => setInserting(true)}>
          {t('Saved replies')}
        </Button>
        <Button keys="Control+Enter" kind="primary" disabled={isEmpty} onClick={submit}>
          {kind === 'reply' ? t('Send reply') : t('Add note')}
        </Button>
      </div>
      {isInserting ? (
        <SavedReplies
          replies={savedReplies}
          body={body}
          onInsert={(text) => {
            setDraft({ [kind]: body + filled(text, values) });
            focus();
          }}
          onClose={() => setInserting(false)}
        />
      ) : null}
    </div>
  );
}

/** Fills in the variables of a saved reply. Unknown ones stay. */
const filled = (text: string, values: Readonly<Record<string, string>>) =>
  text.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (variable, name: string) => values[name] ?? variable);

/** Returns the members with their name after an @. */
function mentionedIn(body: string, members: readonly Member[]): string[] {
  const folded = body.toLocaleLowerCase();
  return members
    .filter(({ name }) => name !== '' && folded.includes(`@${name.toLocaleLowerCase()}`))
    .slice(0, 20)
    .map(({ sub }) => sub);
}
