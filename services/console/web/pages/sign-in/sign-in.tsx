import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { CopyAs } from '../../components/copy-as.tsx';
import { PageLayout } from '../../components/layout.tsx';
import { Loaded } from '../../components/state.tsx';
import { Domains } from './domains.tsx';
import { GroupRoles } from './group-roles.tsx';
import { Provider } from './provider.tsx';
import { Scim } from './scim.tsx';
import { settingsKey } from './settings.ts';

/** How the people of the company sign in, in the order in which a company sets it up. */
export function Page() {
  const { company } = usePlace();
  const params = { companyId: company.id };
  const query = useCall(settingsKey(company.id), (client, options) =>
    client.call('getSignInSettings', { params }, options),
  );
  return (
    <PageLayout
      title={t('Single sign-on')}
      actions={
        <CopyAs call={{ method: 'GET', path: `/v1/companies/${encodeURIComponent(company.id)}/sign-in` }} />
      }
    >
      <Domains />
      <Loaded query={query}>
        {(settings) => {
          const { provider, groupRoles, scimUrl } = settings;
          return (
            <>
              <Provider key={JSON.stringify(provider)} settings={settings} />
              <GroupRoles key={JSON.stringify(groupRoles)} settings={settings} />
              <Scim url={scimUrl} />
            </>
          );
        }}
      </Loaded>
    </PageLayout>
  );
}
