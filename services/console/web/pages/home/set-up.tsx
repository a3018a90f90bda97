import { Link } from '@tanstack/react-router';
import { Check, Circle } from 'lucide-react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Section } from '../../components/layout.tsx';
import styles from './home.module.css';

interface SetUpProps {
  hasData: boolean;
  hasSdk: boolean;
}

/** The steps of a new project, which tick themselves. Hidden once all are done. */
export function SetUp({ hasData, hasSdk }: SetUpProps) {
  const { project, company, may, pathOf } = usePlace();
  const params = { projectId: project.id };
  const reports = useCall(
    ['home', 'listReports', project.id],
    (client, options) => client.call('listReports', { params }, options),
    { enabled: may('directory.read') },
  );
  const flags = useCall(
    ['home', 'listFlags', project.id],
    (client, options) => client.call('listFlags', { params }, options),
    { enabled: may('flags.read') },
  );
  const members = useCall(
    ['home', 'listMembers', company.id],
    (client, options) => client.call('listMembers', { params: { companyId: company.id } }, options),
    { enabled: may('directory.read') },
  );
  const steps = [
    {
      title: t('Install an SDK'),
      isDone: hasSdk || hasData,
      page: may('keys.write') ? '/settings/keys' : undefined,
    },
    { title: t('Send the first event'), isDone: hasData, page: undefined },
    {
      title: t('Invite a colleague'),
      isDone: (members.data?.members.length ?? 0) > 1,
      page: '/settings/members',
    },
    { title: t('Save a report'), isDone: (reports.data?.reports.length ?? 0) > 0, page: undefined },
    { title: t('Create a flag'), isDone: (flags.data?.flags.length ?? 0) > 0, page: undefined },
  ];
  const isLoading = [reports, flags, members].some(({ isLoading: loads }) => loads);
  if (isLoading || steps.every(({ isDone }) => isDone)) return null;
  return (
    <Section title={t('Set up')}>
      <ol className={styles['steps']}>
        {steps.map(({ title, isDone, page }) => (
          <li key={title}>
            {isDone ? (
              <Check size={16} role="img" aria-label={t('Done')} />
            ) : (
              <Circle size={16} role="img" aria-label={t('To do')} />
            )}
            {isDone || page === undefined ? title : <Link to={pathOf(page)}>{title}</Link>}
          </li>
        ))}
      </ol>
    </Section>
  );
}
