import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { endOf, newKey } from '../core/values.ts';
import { fill } from '../texts/texts.ts';
import { Picture } from './attachment.tsx';
import { useAround } from './context.ts';
import { Icon } from './icons.tsx';
import type { Chosen, ChosenFile } from './lazy/chosen-file.tsx';

/** `keyCode` of each key that an input method handles (UI Events, 7.3). */
const INPUT_METHOD_KEY = 229;
const MAX_FILES = 3;
const MAX_LENGTH = 10_000;
const MAX_HEIGHT = 140;
const MAX_NAME = 180;
const THUMBNAIL = 120;

/** Pasted or dropped files for the composer. */
export interface FilesGiven {
  files: readonly File[];
}

interface ComposerProps {
  thread: string;
  given: FilesGiven | undefined;
}

/** Renders the field for text, with files attached by picker, paste and drop. */
export function Composer({ thread, given }: ComposerProps) {
  const { store, screen, texts, config, formats } = useAround();
  const [text, setText] = useState(() => screen.draft(thread));
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const [Chip, setChip] = useState<typeof ChosenFile>();
  const [problem, setProblem] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const { enabled, accept, maxBytes } = config.attachments;
  const isUploading = chosen.some(({ file }) => file === undefined);
  const isEmpty = text.trim() === '' && chosen.length === 0;

  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = 'auto';
    current.style.height = `${Math.min(current.scrollHeight, MAX_HEIGHT)}px`;
  }, [text]);
  useEffect(() => {
    if (given !== undefined) void choose(given.files);
  }, [given]);
  const latest = useRef(chosen);
  latest.current = chosen;
  useEffect(
    () => () => {
      for (const { stop } of latest.current) stop();
    },
    [],
  );

  const change = (key: string, next: Partial<Chosen>) =>
    setChosen((all) => all.map((one) => (one.key === key ? { ...one, ...next } : one)));
  const drop = (key: string) => setChosen((all) => all.filter((one) => one.key !== key));

  async function choose(files: readonly File[]): Promise<void> {
    setProblem('');
    if (files.length === 0 || !enabled) return;
    const free = MAX_FILES - latest.current.length;
    if (files.length > free) setProblem(fill(texts.tooMany, formats.number(MAX_FILES)));
    // Loaded when a visitor attaches the first file.
    const loaded = Promise.all([import('../core/images.ts'), import('./lazy/chosen-file.tsx')]);
    const [images, view] = await loaded.catch(() => []);
    if (images === undefined || view === undefined)
      return setProblem(fill(texts.notUploaded, files[0]?.name ?? ''));
    setChip(() => view.ChosenFile);
    for (const file of files.slice(0, free)) {
      const type = await images.formatOf(file);
      if (type === undefined || !accept.includes(type)) setProblem(fill(texts.wrongType, file.name));
      else {
        const fitted = await images.fit(file, type, maxBytes).catch(() => undefined);
        if (fitted === undefined) setProblem(fill(texts.tooLarge, file.name));
        else void upload(endOf(fitted.name, MAX_NAME) || 'file', fitted.blob);
      }
    }
  }

  async function upload(name: string, blob: Blob): Promise<void> {
    const controller = new AbortController();
    const key = newKey();
    const { signal } = controller;
    const stop = () => controller.abort();
    setChosen((all) => [...all, { key, name, blob, part: 0, file: undefined, stop }]);
    const onProgress = (part: number) => change(key, { part });
    const answer = await store.upload(thread, { blob, name, onProgress, signal });
    if (signal.aborted) return;
    if ('file' in answer) return change(key, { part: 1, file: answer.file });
    drop(key);
    const why =
      answer.status === 415 ? texts.wrongType : answer.status === 413 ? texts.tooLarge : texts.notUploaded;
    setProblem(fill(why, name));
  }

  function send(): void {
    if (isEmpty || isUploading) return;
    store.send(
      thread,
      text,
      chosen.flatMap(({ file }) => file ?? []),
    );
    write('');
    setChosen([]);
    setProblem('');
    field.current?.focus();
  }

  function write(next: string): void {
    if (next.trim() !== '') store.type(thread);
    setText(next);
    screen.write(thread, next);
  }

  return (
    <div class="foot">
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <form
        class="composer"
        data-shape={config.look.composerShape}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {Chip !== undefined && chosen.length > 0 && (
          <ul class="chosen">
            {chosen.map((one) => (
              <Chip
                key={one.key}
                chosen={one}
                onRemove={() => {
                  one.stop();
                  drop(one.key);
                  field.current?.focus();
                }}
              >
                {one.blob.type.startsWith('image/') && <Picture blob={one.blob} side={THUMBNAIL} />}
              </Chip>
            ))}
          </ul>
        )}
        <div class="row">
          {enabled && (
            <>
              <input
                ref={picker}
                type="file"
                multiple
                hidden
                accept={accept.join()}
                onChange={({ currentTarget }) => {
                  void choose([...(currentTarget.files ?? [])]);
                  currentTarget.value = '';
                }}
              />
              <button
                type="button"
                class="round attach"
                aria-label={texts.attach}
                onClick={() => picker.current?.click()}
              >
                <Icon name="clip" />
              </button>
            </>
          )}
          <textarea
            ref={field}
            rows={1}
            dir={text === '' ? undefined : 'auto'}
            maxLength={MAX_LENGTH}
            value={text}
            placeholder={texts.placeholder}
            aria-label={texts.placeholder}
            onInput={({ currentTarget }) => write(currentTarget.value)}
            onPaste={(event) => {
              const files = [...(event.clipboardData?.files ?? [])];
              if (files.length === 0 || !enabled) return;
              event.preventDefault();
              void choose(files);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || isOfInputMethod(event)) return;
              event.preventDefault();
              send();
            }}
          />
          <button type="submit" class="round send" disabled={isEmpty || isUploading} aria-label={texts.send}>
            <Icon name="send" />
          </button>
        </div>
      </form>
    </div>
  );
}

/**
 * Returns whether an input method handles a key, such as the Enter that accepts a conversion. In WebKit that key
 * comes after the composition has ended (https://bugs.webkit.org/show_bug.cgi?id=165004).
 */
const isOfInputMethod = ({ isComposing, keyCode }: KeyboardEvent) =>
  isComposing || keyCode === INPUT_METHOD_KEY;
