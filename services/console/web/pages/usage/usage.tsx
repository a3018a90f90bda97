import type { Result } from '@switchboard/management';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { CopyAs } from '../../components/copy-as.tsx';
import { Facts, PageLayout, Section } from '../../components/layout.tsx';
import { Loaded, Loading, Partial } from '../../components/state.tsx';
import { Count } from '../../components/values.tsx';
import { ActivePeople, Events } from './active.tsx';
import { Quotas } from './quotas.tsx';
import { type Retained, Retention } from './retention.tsx';

/** The plan and the quotas of the company, what the project used, and how long its data is kept. */
export function Page() {
  const { company, project } = usePlace();
  const inCompany = { companyId: company.id };
  const inProject = { projectId: project.id };
  const ofCompany = useCall(['getCompanyUsage', company.id], (client, options) =>
    client.call('getCompanyUsage', { params: inCompany }, options),
  );
  const ofMessenger = useCall(['getMessengerUsage', project.id], (client, options) =>
    client.call('getMessengerUsage', { params: inProject }, options),
  );
  const ofArchive = useCall(['getArchiveUsage', project.id], (client, options) =>
    client.call('getArchiveUsage', { params: inProject }, options),
  );
  const ofPeople = useCall(['getPeopleUsage', project.id], (client, options) =>
    client.call('getPeopleUsage', { params: inProject }, options),
  );
  const ofCollaboration = useCall(['getCollaborationUsage', project.id], (client, options) =>
    client.call('getCollaborationUsage', { params: inProject }, options),
  );
  const kept = [ofArchive, ofPeople, ofMessenger, ofCollaboration, ofCompany];
  const retained: Retained[] = kept.flatMap(({ data }) => data?.retention ?? []);
  const unread = kept.filter(({ error }) => error !== null).length;
  return (
    <PageLayout
      title={t('Usage')}
      actions={
        <CopyAs call={{ method: 'GET', path: `/v1/companies/${encodeURIComponent(company.id)}/usage` }} />
      }
    >
      <Section title={t('Plan and quotas of {company}', { company: company.name })}>
        <Loaded query={ofCompany}>
          {(usage) => (
            <>
              <Facts facts={[[t('Plan'), `${usage.plan.tier} / ${usage.plan.cycle}`]]} />
              <Quotas
                quotas={usage.quotas}
                translations={ofMessenger.data && translationsOf(ofMessenger.data)}
              />
            </>
          )}
        </Loaded>
      </Section>
      <Section title={t('Last 30 days of {project}', { project: project.name })}>
        <Facts
          facts={[
            [t('Events'), <Events key="events" />],
            [t('Active people this month'), <ActivePeople key="people" />],
            [
              t('Conversations'),
              <Loaded key="conversations" query={ofMessenger} loading="–">
                {({ conversations }) => <Counted value={conversations} />}
              </Loaded>,
            ],
            [
              t('Recordings'),
              <Loaded key="recordings" query={ofArchive} loading="–">
                {({ recordings }) => <Counted value={recordings} />}
              </Loaded>,
            ],
          ]}
        />
      </Section>
      <Section title={t('Retention')}>
        {unread === 0 ? null : (
          <Partial
            text={t('{answered} of {asked} services answered.', {
              answered: kept.length - unread,
              asked: kept.length,
            })}
          />
        )}
        {kept.some(({ isLoading }) => isLoading) ? <Loading /> : <Retention retained={retained} />}
        <p>
          {t(
            'Data is removed within an hour of this age. The operator of the deployment changes the settings. Erasing a person removes their data, whatever its age.',
          )}
        </p>
      </Section>
    </PageLayout>
  );
}

const MAX_COUNTED = 100_000;

/** A count that ends at 100,000. */
function Counted({ value }: { value: number }) {
  return value < MAX_COUNTED ? <Count value={value} /> : t('100,000 or more');
}

const translationsOf = (usage: Result<'getMessengerUsage'>) => ({
  used: usage.aiTranslationBytes,
  most: usage.aiTranslationBytesPerMonth,
});
