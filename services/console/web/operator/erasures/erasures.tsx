import { useState } from 'react';
import { useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { oneOf, type RawSearch, text } from '../../app/page.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { Filter, SelectFilter, TextField } from '../../components/field.tsx';
import { Bar, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { columns, kindWord, Progress, stateWord } from '../../pages/erasures/progress.tsx';

const STATES = ['running', 'done'] as const;
const KINDS = ['person', 'colleague', 'project', 'company'] as const;
const REFRESH_MS = 5_000;

const search = (raw: RawSearch) => ({
  state: oneOf(STATES, raw['state']),
  kind: oneOf(KINDS, raw['kind']),
  company: text(raw['company']),
  open: text(raw['open']),
});

/** The erasures of every company, with what each service still has to do. */
export function Page() {
  const [{ state, kind, company, open }, setSearch] = usePageSearch(search);
  const [erases, setErases] = useState(false);
  const filters = { state, kind, companyId: company };
  const { query, more } = useList(
    ['listErasures', filters],
    async (client, cursor, options) => {
      const input = { query: { ...filters, ...cursor } };
      const { erasures, nextCursor } = await client.call('listErasures', input, options);
      return { items: erasures, nextCursor };
    },
    { refreshMs: REFRESH_MS },
  );
  return (
    <PageLayout
      title={t('Erasures')}
      actions={
        <>
          <CopyAs command="switchboard erase list" />
          <Button keys="c" kind="primary" onClick={() => setErases(true)}>
            {t('Erase colleague')}
          </Button>
        </>
      }
    >
      <Bar>
        <SelectFilter
          label={t('All states')}
          value={state}
          options={STATES.map((value) => ({ value, title: stateWord(value) }))}
          onChange={(value) => setSearch({ state: oneOf(STATES, value) })}
        />
        <SelectFilter
          label={t('All kinds')}
          value={kind}
          options={KINDS.map((value) => ({ value, title: kindWord(value) }))}
          onChange={(value) => setSearch({ kind: oneOf(KINDS, value) })}
        />
        <Filter label={t('Company id')} value={company} onChange={(value) => setSearch({ company: value })} />
      </Bar>
      <Loaded query={query}>
        {(erasures) => {
          const opened = erasures.find(({ id }) => id === open);
          return (
            <ListDetail
              list={
                erasures.length > 0 ? (
                  <Table
                    label={t('Erasures')}
                    columns={columns()}
                    rows={erasures}
                    keyOf={({ id }) => id}
                    open={open}
                    onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                    more={more}
                  />
                ) : (
                  <Empty text={t('No erasure matches the filters.')} />
                )
              }
              detail={
                opened && {
                  title: kindWord(opened.kind),
                  content: <Progress erasure={opened} />,
                  onClose: () => setSearch({ open: undefined }),
                }
              }
            />
          );
        }}
      </Loaded>
      {erases ? (
        <EraseColleague
          onBegun={(id) => {
            setErases(false);
            setSearch({ state: undefined, kind: undefined, company: undefined, open: id });
          }}
          onClose={() => setErases(false)}
        />
      ) : null}
    </PageLayout>
  );
}

interface EraseColleagueProps {
  onBegun: (id: string) => void;
  onClose: () => void;
}

function EraseColleague({ onBegun, onClose }: EraseColleagueProps) {
  const [sub, setSub] = useState('');
  const [again, setAgain] = useState('');
  const erase = useChange((client, of: string) => client.call('eraseColleague', { body: { sub: of } }), {
    refresh: [['listErasures']],
  });
  return (
    <FormDialog
      title={t('Erase colleague')}
      action={t('Erase colleague')}
      kind="danger"
      disabled={erase.isPending || sub !== again}
      onClose={onClose}
      onSubmit={() => erase.mutate(sub, { onSuccess: ({ id }) => onBegun(id) })}
    >
      {erase.error === null ? null : <Failed error={erase.error} />}
      <p>
        {t(
          'Ends the memberships at once, then erases name, address, comments and account in every service. The audit trail keeps the subject. This cannot be undone.',
        )}
      </p>
      <TextField
        label={t('Subject')}
        hint={t('The sub of the access tokens of the person.')}
        value={sub}
        required
        maxLength={200}
        autoComplete="off"
        onChange={({ target }) => setSub(target.value)}
      />
      <TextField
        label={t('Type the subject again')}
        value={again}
        required
        autoComplete="off"
        onChange={({ target }) => setAgain(target.value)}
      />
    </FormDialog>
  );
}
