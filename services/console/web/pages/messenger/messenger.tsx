import { VIEWS, type View } from '@switchboard/messenger/preview-messages';
import { Redo2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useCall } from '../../app/api.ts';
import { locale, t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button, IconButton, withKey } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Bar, PageLayout } from '../../components/layout.tsx';
import { Loaded, Partial } from '../../components/state.tsx';
import { Appearance } from './appearance.tsx';
import { configurationFor, type Draft, languageName, type Settings, type Stored } from './draft.ts';
import { Help } from './help.tsx';
import { HoursEditor } from './hours.tsx';
import styles from './messenger.module.css';
import { usePictures } from './pictures.ts';
import { Choice, Preview } from './preview.tsx';
import { Review } from './review.tsx';
import { PARTS, type Part, search } from './search.ts';
import { Team } from './team.tsx';
import { TextsByLanguage } from './texts.tsx';
import { useDraft, useSave, useStored } from './use-draft.ts';

const titles = (): Record<Part, string> => ({
  appearance: t('Appearance'),
  texts: t('Texts'),
  team: t('Team'),
  hours: t('Hours'),
  help: t('Help centre'),
});

/** Every setting of the messenger, with the real widget beside it. */
export function Page() {
  const stored = useStored();
  return <Loaded query={stored}>{(found) => <Editor stored={found} />}</Loaded>;
}

/** The view that shows what a part changes. */
const VIEW_OF: Record<Part, View> = {
  appearance: 'conversation',
  texts: 'home',
  team: 'home',
  hours: 'home',
  help: 'home',
};

function Editor({ stored }: { stored: Stored }) {
  const { project, may } = usePlace();
  const [{ part = 'appearance', view, language = project.defaultLanguage }, setSearch] =
    usePageSearch(search);
  const { draft, from, changes, others, undo, leaving, change, rebase, discard } = useDraft(stored);
  const [isReviewed, setReviewed] = useState(false);
  /** On narrow screens, the preview takes the place of the settings. */
  const [isPreviewed, setPreviewed] = useState(false);
  const save = useSave();
  const { settings } = draft;
  const pictures = usePictures(draft);
  const setSettings = (next: Settings | ((latest: Settings) => Settings)) =>
    change((latest: Draft) => ({
      ...latest,
      settings: typeof next === 'function' ? next(latest.settings) : next,
    }));
  const languages = [...new Set([project.defaultLanguage, ...Object.keys(settings.texts), language])];
  const isWriter = may('messenger.write');
  const isAsked = useCall(
    ['getSupportSettings', project.id],
    (client, options) => client.call('getSupportSettings', { params: { projectId: project.id } }, options),
    { enabled: may('support.read') },
  ).data?.asksSatisfaction;
  return (
    <PageLayout
      title={t('Messenger settings')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/messenger/config` }}
            command={`switchboard get messenger ${project.id}`}
          />
          {isWriter ? (
            <>
              <IconButton icon={Undo2} label={t('Undo')} disabled={!undo.canUndo} onClick={undo.undo} />
              <IconButton icon={Redo2} label={t('Redo')} disabled={!undo.canRedo} onClick={undo.redo} />
              <Button keys="d" disabled={changes.length === 0} onClick={discard}>
                {t('Discard changes')}
              </Button>
              <Button
                keys="c"
                kind="primary"
                disabled={changes.length === 0}
                onClick={() => setReviewed(true)}
              >
                {changes.length === 0
                  ? t('Review changes')
                  : t('{count, plural, one {Review # change} other {Review # changes}}', {
                      count: changes.length,
                    })}
              </Button>
            </>
          ) : null}
        </>
      }
    >
      <div className={`${styles['page']} ${isPreviewed ? styles['previewed'] : ''}`}>
        <div className={styles['editor']}>
          <nav aria-label={t('Parts of the settings')} className={styles['parts']}>
            {PARTS.map((one, at) => (
              <button
                key={one}
                type="button"
                aria-current={one === part && !isPreviewed ? 'page' : undefined}
                {...withKey(`${at + 1}`)}
                onClick={() => {
                  setSearch({ part: one, view: undefined });
                  setPreviewed(false);
                }}
              >
                {titles()[one]}
              </button>
            ))}
            <button
              type="button"
              className={styles['narrow']}
              aria-current={isPreviewed ? 'page' : undefined}
              {...withKey(`${PARTS.length + 1}`)}
              onClick={() => setPreviewed(true)}
            >
              {t('Preview')}
            </button>
          </nav>
          {isWriter ? null : <p>{t('Editors can change these settings.')}</p>}
          {settings.enabled ? null : (
            <Bar>
              <Partial text={t('The messenger is off. Visitors do not see it.')} />
              {isWriter ? (
                <Button keys="x" onClick={() => setSettings((latest) => ({ ...latest, enabled: true }))}>
                  {t('Turn on messenger')}
                </Button>
              ) : null}
            </Bar>
          )}
          <fieldset disabled={!isWriter} className={styles['fields']}>
            {part === 'appearance' ? <Appearance settings={settings} onChange={setSettings} /> : null}
            {part === 'texts' ? <TextsByLanguage settings={settings} onChange={setSettings} /> : null}
            {part === 'team' ? <Team draft={draft} pictures={pictures} onChange={change} /> : null}
            {part === 'hours' ? <HoursEditor settings={settings} onChange={setSettings} /> : null}
            {part === 'help' ? (
              <Help search={draft.search} onChange={(search) => change({ ...draft, search })} />
            ) : null}
          </fieldset>
        </div>
        <Preview
          shown={{
            configuration: configurationFor(settings, language, project.defaultLanguage),
            locale: language,
            pictures,
          }}
          views={VIEWS.filter((one) => one !== 'message')}
          view={view ?? VIEW_OF[part]}
          notes={
            isAsked === false ? { rating: t('Ratings are off. Turn them on in the inbox preferences.') } : {}
          }
        >
          <Choice
            label={t('Language of the visitor')}
            value={language}
            options={languages.map((value) => ({ value, title: languageName(value, locale()) }))}
            onChange={(value) => setSearch({ language: value })}
          />
        </Preview>
      </div>
      {isReviewed ? (
        <Review
          changes={changes}
          others={others}
          error={save.error}
          pending={save.isPending}
          onRebase={rebase}
          onClose={() => {
            setReviewed(false);
            save.reset();
          }}
          onSave={() =>
            save.mutate(
              { from, draft },
              {
                onSuccess() {
                  setReviewed(false);
                  discard();
                },
              },
            )
          }
        />
      ) : null}
      {leaving.status === 'blocked' ? (
        <Confirm
          title={t('Leave without saving?')}
          action={t('Discard changes')}
          onConfirm={leaving.proceed}
          onClose={leaving.reset}
        >
          <p>
            {t('{count, plural, one {# change is} other {# changes are}} not saved.', {
              count: changes.length,
            })}
          </p>
        </Confirm>
      ) : null}
    </PageLayout>
  );
}
