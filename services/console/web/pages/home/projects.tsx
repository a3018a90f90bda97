import { Link } from '@tanstack/react-router';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import type { Project } from '../../app/project.ts';
import { Section } from '../../components/layout.tsx';
import { Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';

/** The projects of the person's companies. */
export function Projects() {
  const projects = useCall(['listOwnProjects'], (client, options) =>
    client.call('listOwnProjects', {}, options),
  );
  return (
    <Section title={t('Projects')}>
      <Loaded query={projects}>
        {({ projects: rows }) => (
          <Table label={t('Projects')} columns={columns()} rows={rows} keyOf={({ id }) => id} />
        )}
      </Loaded>
    </Section>
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
