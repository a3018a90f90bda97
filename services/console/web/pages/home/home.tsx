import { Link } from '@tanstack/react-router';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import type { Project } from '../../app/project.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Id } from '../../components/code.tsx';
import { Facts, PageLayout, Section } from '../../components/layout.tsx';
import { Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';

export function Page() {
  const { project, company } = usePlace();
  const projects = useCall(['listOwnProjects'], (client, options) =>
    client.call('listOwnProjects', {}, options),
  );
  return (
    <PageLayout title={project.name}>
      <Facts
        facts={[
          [t('Company'), company.name],
          [t('Your role'), <Badge key="role">{company.role}</Badge>],
          [t('Region'), project.region],
          [t('Project id'), <Id key="id" value={project.id} name={t('project id')} />],
        ]}
      />
      <Section title={t('Projects')}>
        <Loaded query={projects}>
          {({ projects: rows }) => (
            <Table label={t('Projects')} columns={columns()} rows={rows} keyOf={({ id }) => id} />
          )}
        </Loaded>
      </Section>
    </PageLayout>
  );
}

const columns = (): Column<Project>[] => [
  {
    title: t('Name'),
    cell: ({ id, name }) => (
      <Link to="/projects/$projectId" params={{ projectId: id }}>
        {name}
      </Link>
    ),
  },
  { title: t('Region'), cell: ({ region }) => region, width: '80px' },
  { title: t('Id'), cell: ({ id }) => <code>{id}</code>, minor: true },
];
