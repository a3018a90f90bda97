import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { api, useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { getSession } from '../../app/session.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import { Failed, Loading } from '../../components/state.tsx';
import { idOf } from '../../pages/insights/id.ts';
import { NameField, RegionField } from '../../projects/fields.tsx';
import { openProject } from '../../projects/open-project.ts';
import { useDeployment } from '../health/use-state.ts';
import styles from '../operator.module.css';

interface Fields {
  company: string;
  project: string;
  email: string;
  region: string;
}

/** The plan of the first company, if the deployment has none. It sets no limits. */
const FIRST_PLAN = { tier: 'standard', cycle: 'monthly' };

/** Creates the first company and project of a deployment, and makes the person its owner. Hidden once there is one. */
export function FirstProject() {
  const companies = useCall(['listCompanies', 'first'], (client, options) =>
    client.call('listCompanies', { query: { limit: 1 } }, options),
  );
  return companies.data === undefined || companies.data.companies.length > 0 ? null : <Create />;
}

function Create() {
  const { data: session } = useQuery({ queryKey: ['session'], queryFn: getSession });
  const deployment = useDeployment();
  if (session === undefined || deployment.isPending) return <Loading />;
  const region = deployment.data?.services.find((one) => one.region !== null)?.region ?? '';
  return <Form email={session.email} region={region} />;
}

interface FormProps {
  /** The address that the person signed in with, if it is known. Otherwise the form asks for it. */
  email: string | undefined;
  /** The region of the deployment, or an empty text if it is not known. */
  region: string;
}

function Form({ email: known, region: given }: FormProps) {
  const navigate = useNavigate();
  const [fields, setFields] = useState<Fields>({
    company: '',
    project: '',
    email: known ?? '',
    region: given,
  });
  const change = (values: Partial<Fields>) => setFields({ ...fields, ...values });
  /** Another attempt goes on with the same company and project. */
  const ids = useRef<{ companyId: string; projectId: string }>(undefined);
  const create = useChange(
    async (client, { company, project, email, region }: Fields) => {
      const { plans } = await client.call('listManagedPlans');
      const { tier, cycle } = plans[0] ?? FIRST_PLAN;
      if (plans.length === 0) {
        const body = { trialDays: 0, priced: false, entitlements: {} };
        await client.call('putPlan', { params: { tier, cycle }, body });
      }
      const { sub, name } = await (await api()).call('getMe');
      ids.current ??= { companyId: idOf(company), projectId: idOf(project) };
      const { companyId, projectId } = ids.current;
      await client.call('putCompany', {
        params: { companyId },
        body: { name: company, plan: { tier, cycle } },
      });
      await client.call('putMember', {
        params: { companyId, sub },
        body: { name: name ?? email, email, role: 'owner' },
      });
      await client.call('putProject', {
        params: { projectId },
        body: { companyId, name: project, region, defaultLanguage: 'en' },
      });
      await client.call('createProjectKey', { params: { projectId } });
      return await openProject(projectId);
    },
    { refresh: [] },
  );
  return (
    <Section title={t('Create the first project')}>
      <p className={styles['text']}>
        {t('You become the owner of its company. The next page shows the code that sends events.')}
      </p>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(fields, { onSuccess: (path) => void navigate({ to: path }) });
        }}
      >
        <NameField label={t('Company')} value={fields.company} onChange={(company) => change({ company })} />
        <NameField label={t('Project')} value={fields.project} onChange={(project) => change({ project })} />
        {known !== undefined ? null : (
          <TextField
            label={t('Your email')}
            type="email"
            value={fields.email}
            required
            maxLength={254}
            autoComplete="email"
            onChange={({ target }) => change({ email: target.value })}
          />
        )}
        <RegionField value={fields.region} onChange={(region) => change({ region })} />
        {create.error === null ? null : <Failed error={create.error} />}
        <Button kind="primary" type="submit" disabled={create.isPending}>
          {t('Create project')}
        </Button>
      </form>
    </Section>
  );
}
