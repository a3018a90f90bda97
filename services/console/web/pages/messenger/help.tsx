import { RotateCw } from 'lucide-react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { CheckField, SelectField } from '../../components/field.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded, Partial } from '../../components/state.tsx';
import { Count, Time } from '../../components/values.tsx';
import type { Search } from './draft.ts';
import styles from './messenger.module.css';
import { valueTitle } from './words.ts';

const PLACEMENTS = ['tab', 'first_view', 'while_typing'] as const;

interface HelpProps {
  search: Search;
  onChange: (search: Search) => void;
}

/** The help site of the company, and the search of its articles. */
export function Help({ search, onChange }: HelpProps) {
  const { project, may } = usePlace();
  const params = { projectId: project.id };
  const key = ['getHelpCentre', project.id];
  const query = useCall(key, (client, options) => client.call('getHelpCentre', { params }, options));
  const refresh = useChange((client, _: undefined) => client.call('refreshHelpCentre', { params }), {
    refresh: [key],
  });
  return (
    <>
      <Section title={t('Help site')}>
        <Loaded query={query}>
          {({ site }) =>
            site === null ? (
              <Empty text={t('No help site is known. Look it up after you set one up.')} />
            ) : (
              <>
                {site.readError == null ? null : <Partial text={site.readError} />}
                <Facts
                  facts={[
                    [t('Address'), site.url],
                    [t('Articles'), <Count key="articles" value={site.articles} />],
                    [t('Languages'), site.languages.join(', ')],
                    [
                      t('Looked up'),
                      site.lastReadAt == null ? t('never') : <Time key="at" at={site.lastReadAt} />,
                    ],
                  ]}
                />
              </>
            )
          }
        </Loaded>
        {refresh.error === null ? null : <Failed error={refresh.error} />}
        {may('messenger.write') ? (
          <div>
            <Button
              keys="r"
              icon={RotateCw}
              disabled={refresh.isPending}
              onClick={() => refresh.mutate(undefined)}
            >
              {t('Look up help site')}
            </Button>
          </div>
        ) : null}
      </Section>
      <Section title={t('Article search')}>
        <CheckField
          label={t('Let visitors search the articles')}
          hint={t('Your plan must include article search.')}
          checked={search.on}
          onChange={({ target }) => onChange({ ...search, on: target.checked })}
        />
        <div className={styles['grid']}>
          <SelectField
            label={t('Place')}
            value={search.placement}
            options={PLACEMENTS.map((value) => ({ value, title: valueTitle(value) }))}
            onChange={({ target }) =>
              onChange({
                ...search,
                placement: PLACEMENTS.find((one) => one === target.value) ?? search.placement,
              })
            }
          />
        </div>
      </Section>
    </>
  );
}
