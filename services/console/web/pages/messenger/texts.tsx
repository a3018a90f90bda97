import { Languages, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { locale, t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { TextArea, TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import type { PartProps } from './appearance.tsx';
import { languageName, type Prompt, type Settings, type Texts, withText } from './draft.ts';
import styles from './messenger.module.css';

const MAX_PROMPTS = 20;
const MAX_LANGUAGES = 100;
const MAX_TEXT = 1000;
/** The API gives the provider 30 s. */
const TRANSLATION_MS = 35_000;

/** Whether the tag names a language, such as `pt-BR`. */
function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** The languages with texts, and the default language of the project, which comes first. */
const languagesOf = ({ texts }: Settings, defaultLanguage: string) => [
  ...new Set([defaultLanguage, ...Object.keys(texts)]),
];

/** The texts of every language side by side. */
export function TextsByLanguage({ settings, onChange }: PartProps) {
  const { project } = usePlace();
  const [added, setAdded] = useState<readonly string[]>([]);
  const source = project.defaultLanguage;
  const languages = [...new Set([...languagesOf(settings, source), ...added])];
  return (
    <>
      <p className={styles['note']}>
        {t('A visitor reads each text in the first of their languages that has it, else in {language}.', {
          language: languageName(source, locale()),
        })}
      </p>
      <AddLanguage known={languages} onAdd={(tag) => setAdded([...added, tag])} />
      <div className={styles['languages']}>
        {languages.map((language) => (
          <Language
            key={language}
            language={language}
            source={source}
            settings={settings}
            onChange={onChange}
            onRemove={() => {
              setAdded(added.filter((one) => one !== language));
              const { [language]: _, ...texts } = settings.texts;
              onChange({ ...settings, texts });
            }}
          />
        ))}
      </div>
    </>
  );
}

function AddLanguage({ known, onAdd }: { known: readonly string[]; onAdd: (tag: string) => void }) {
  const [tag, setTag] = useState('');
  const isKnown = known.some((one) => one.toLowerCase() === tag.toLowerCase());
  const problem =
    tag === ''
      ? undefined
      : !isTag(tag)
        ? t('Not a language tag.')
        : isKnown
          ? t('It is shown already.')
          : undefined;
  return (
    <form
      className={styles['add']}
      onSubmit={(event) => {
        event.preventDefault();
        if (tag === '' || problem !== undefined) return;
        onAdd(Intl.getCanonicalLocales(tag)[0] ?? tag);
        setTag('');
      }}
    >
      <TextField
        label={t('Another language')}
        placeholder="pt-BR"
        value={tag}
        spellCheck={false}
        maxLength={35}
        error={problem}
        onChange={({ target }) => setTag(target.value.trim())}
      />
      <Button
        type="submit"
        icon={Plus}
        disabled={tag === '' || problem !== undefined || known.length >= MAX_LANGUAGES}
      >
        {t('Add language')}
      </Button>
    </form>
  );
}

interface LanguageProps extends PartProps {
  language: string;
  source: string;
  onRemove: () => void;
}

function Language({ language, source, settings, onChange, onRemove }: LanguageProps) {
  const name = languageName(language, locale());
  const texts: Texts = settings.texts[language] ?? {};
  const set = (change: Partial<Texts>) => onChange(withText(settings, language, change));
  const prompts = texts.starterPrompts ?? [];
  const setPrompts = (next: Prompt[]) => set({ starterPrompts: next.length === 0 ? undefined : next });
  const inLanguage = { lang: language, dir: 'auto' };
  const text = (value: string) => (value === '' ? undefined : value);
  return (
    <section aria-label={name} className={styles['language']}>
      <div className={styles['languageHead']}>
        <h2>
          {name} <span className={styles['tag']}>{language}</span>
        </h2>
        {language === source ? null : (
          <IconButton icon={Trash2} label={t('Remove {language}', { language: name })} onClick={onRemove} />
        )}
      </div>
      {language === source ? (
        <p className={styles['note']}>{t('Default language of the project')}</p>
      ) : (
        <Translate language={language} source={source} settings={settings} onChange={onChange} />
      )}
      <div className={styles['fields']}>
        <TextArea
          label={t('Greeting')}
          rows={2}
          {...inLanguage}
          maxLength={MAX_TEXT}
          value={texts.greeting ?? ''}
          onChange={({ target }) => set({ greeting: text(target.value) })}
        />
        <TextArea
          label={t('Away message')}
          rows={2}
          {...inLanguage}
          maxLength={MAX_TEXT}
          value={texts.awayMessage ?? ''}
          onChange={({ target }) => set({ awayMessage: text(target.value) })}
        />
        <h3>{t('Starter prompts')}</h3>
        {prompts.map((prompt, index) => {
          const number = index + 1;
          const change = (next: Partial<Prompt>) =>
            setPrompts(prompts.map((one, at) => (at === index ? { ...one, ...next } : one)));
          return (
            <div key={index} className={styles['prompt']}>
              <TextField
                label={t('Prompt {number}: shown', { number })}
                value={prompt.html}
                maxLength={2000}
                {...inLanguage}
                onChange={({ target }) =>
                  change({
                    html: target.value,
                    // The text that is sent follows as long as it is the same.
                    ...(plainOf(prompt.html) === prompt.text && {
                      text: plainOf(target.value).slice(0, 500),
                    }),
                  })
                }
              />
              <TextField
                label={t('Prompt {number}: sent', { number })}
                value={prompt.text}
                maxLength={500}
                {...inLanguage}
                onChange={({ target }) => change({ text: target.value })}
              />
              <IconButton
                icon={Trash2}
                label={t('Remove prompt {number}', { number })}
                onClick={() => setPrompts(prompts.filter((_, at) => at !== index))}
              />
            </div>
          );
        })}
        <div>
          <Button
            icon={Plus}
            disabled={prompts.length >= MAX_PROMPTS}
            onClick={() => setPrompts([...prompts, { html: '', text: '' }])}
          >
            {t('Add prompt')}
          </Button>
        </div>
      </div>
    </section>
  );
}

/** Returns a prompt without its inline markup. */
const plainOf = (html: string) => html.replaceAll(/<[^>]*>/g, '');

/** Fills the texts that a language lacks with translations. */
function Translate({ language, source, settings, onChange }: Omit<LanguageProps, 'onRemove'>) {
  const { project } = usePlace();
  const translate = useChange(
    async (client, { to, from, texts }: { to: string; from: string; texts: string[] }) => {
      const params = { projectId: project.id };
      const options = { timeoutMs: TRANSLATION_MS };
      return client.call('translateTexts', { params, body: { from, to, texts } }, options);
    },
    { refresh: [] },
  );
  const [from, to] = [settings.texts[source] ?? {}, settings.texts[language] ?? {}];
  const isMissing = (name: keyof Texts) => from[name] !== undefined && to[name] === undefined;
  const missing = {
    greeting: isMissing('greeting') ? [from.greeting ?? ''] : [],
    awayMessage: isMissing('awayMessage') ? [from.awayMessage ?? ''] : [],
    starterPrompts: isMissing('starterPrompts') ? (from.starterPrompts ?? []) : [],
  };
  const texts = [
    ...missing.greeting,
    ...missing.awayMessage,
    ...missing.starterPrompts.flatMap(({ html, text }) => [html, text]),
  ];
  const start = () =>
    translate.mutate(
      { from: source, to: language, texts },
      {
        onSuccess({ texts: translated }) {
          const rest = [...translated];
          const take = () => rest.shift() ?? '';
          const given: Partial<Texts> = {
            ...(missing.greeting.length > 0 && { greeting: take() }),
            ...(missing.awayMessage.length > 0 && { awayMessage: take() }),
            ...(missing.starterPrompts.length > 0 && {
              starterPrompts: missing.starterPrompts.map(() => ({ html: take(), text: take() })),
            }),
          };
          onChange((now) => withText(now, language, given));
        },
      },
    );
  return (
    <>
      <div>
        <Button icon={Languages} disabled={texts.length === 0 || translate.isPending} onClick={start}>
          {translate.isPending
            ? t('Translating…')
            : t('Translate from {language}', { language: languageName(source, locale()) })}
        </Button>
      </div>
      {texts.length === 0 ? <p className={styles['note']}>{t('Every text has a translation.')}</p> : null}
      {translate.error === null ? null : <Failed error={translate.error} />}
    </>
  );
}
