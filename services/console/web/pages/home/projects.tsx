import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { type Project, usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { Section } from '../../components/layout.tsx';
import { Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { CreateProject } from '../../projects/create-project.tsx';

/** The projects of the person's companies. */
export function Projects() {
  const { company, project, may } = usePlace();
  const [isCreating, setCreating] = useState(false);
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
      {may('projects.write') ? (
        <div>
          <Button keys="c" icon={Plus} onClick={() => setCreating(true)}>
            {t('Create project')}
          </Button>
        </div>
      ) : null}
      {isCreating ? (
        <CreateProject companyId={company.id} region={project.region} onClose={() => setCreating(false)} />
      ) : null}
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
