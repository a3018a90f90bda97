import type { Client } from '@switchboard/management';
import { useNavigate } from '@tanstack/react-router';
import { UsersRound } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import { idOf } from '../insights/id.ts';

const MAX_PEOPLE = 10_000;

interface PageOfPeople {
  people: readonly { distinctId: string }[];
  nextCursor: string | null;
}

interface SaveAsCohortProps {
  /** Reads a page of the people on the list. */
  read: (client: Client, cursor: { cursor?: string }) => Promise<PageOfPeople>;
}

/** Creates a cohort of the people on a list, as they are now. */
export function SaveAsCohort({ read }: SaveAsCohortProps) {
  const { project, may, pathOf } = usePlace();
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState('');
  const create = useChange(
    async (client, _: undefined) => {
      const distinctIds: string[] = [];
      let cursor: { cursor?: string } | undefined = {};
      while (cursor !== undefined) {
        const page: PageOfPeople = await read(client, cursor);
        distinctIds.push(...page.people.map(({ distinctId }) => distinctId));
        if (distinctIds.length > MAX_PEOPLE)
          throw new Error(t('The list has more than 10,000 people. Narrow it with filters.'));
        cursor = page.nextCursor === null ? undefined : { cursor: page.nextCursor };
      }
      const cohortId = idOf(name);
      await client.call('putCohort', {
        params: { projectId: project.id, cohortId },
        body: { name, distinctIds },
      });
      return cohortId;
    },
    { refresh: [['listCohorts', project.id]] },
  );
  if (!may('cohorts.write')) return null;
  return (
    <>
      <Button keys="n" icon={UsersRound} onClick={() => setIsOpen(true)}>
        {t('Save as cohort')}
      </Button>
      {isOpen ? (
        <FormDialog
          title={t('Save as cohort')}
          action={t('Create cohort')}
          disabled={create.isPending || name.trim() === ''}
          onClose={() => setIsOpen(false)}
          onSubmit={() =>
            create.mutate(undefined, {
              onSuccess: (id) => void navigate({ to: pathOf('/cohorts'), search: { open: id } }),
            })
          }
        >
          <p>{t('The cohort has the people of the list as it is now.')}</p>
          <TextField
            label={t('Name')}
            value={name}
            required
            maxLength={200}
            onChange={({ target }) => setName(target.value)}
          />
          {create.error === null ? null : <Failed error={create.error} />}
        </FormDialog>
      ) : null}
    </>
  );
}
