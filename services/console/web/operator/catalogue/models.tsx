import type { AiModel } from '@switchboard/management';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { type RawSearch, text } from '../../app/page.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { Filter, TextField } from '../../components/field.tsx';
import { Bar, PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import styles from '../operator.module.css';
import { Markup } from './markup.tsx';

const KEY = ['listManagedAiModels'];
const MICRO = 1_000_000;
const search = (raw: RawSearch) => ({ find: text(raw['find']), open: text(raw['open']) });

type Prices = AiModel['perMillion'];
const NO_PRICES: Prices = { input: 0, output: 0, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
const NEW: AiModel = { id: '', displayName: '', perMillion: NO_PRICES };

const PRICES: readonly [keyof Prices, () => string][] = [
  ['input', () => t('Input')],
  ['output', () => t('Output')],
  ['cacheWrite5m', () => t('Cache write, 5 min')],
  ['cacheWrite1h', () => t('Cache write, 1 h')],
  ['cacheRead', () => t('Cache read')],
];

/** The AI models of the catalogue with their prices, and the markup on them. */
export function Page() {
  const [{ find = '', open }, setSearch] = usePageSearch(search);
  const [isNew, setNew] = useState(false);
  const query = useCall(KEY, (client, options) => client.call('listManagedAiModels', {}, options));
  const close = () => {
    setNew(false);
    setSearch({ open: undefined });
  };
  const wanted = find.trim().toLocaleLowerCase();
  return (
    <PageLayout
      title={t('AI models')}
      actions={
        <>
          <CopyAs command="switchboard get models" />
          <Button keys="c" kind="primary" onClick={() => setNew(true)}>
            {t('Create model')}
          </Button>
        </>
      }
    >
      <Bar>
        <Filter label={t('Name or id')} value={find} onChange={(value) => setSearch({ find: value })} />
      </Bar>
      <Loaded query={query}>
        {({ models }) => {
          const opened = isNew ? NEW : models.find(({ id }) => id === open);
          const shown = models.filter(({ id, displayName }) =>
            `${id} ${displayName}`.toLocaleLowerCase().includes(wanted),
          );
          return (
            <>
              {shown.length === 0 ? (
                <Empty
                  text={
                    models.length === 0
                      ? t('No model yet. Create one, or import a price list with switchboard import models.')
                      : t('No model matches the filter.')
                  }
                />
              ) : (
                <Table
                  label={t('AI models')}
                  columns={columns()}
                  rows={shown}
                  keyOf={({ id }) => id}
                  open={open}
                  onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                />
              )}
              {opened === undefined ? null : (
                <EditModel
                  key={opened.id}
                  model={opened}
                  taken={isNew ? models.map(({ id }) => id) : []}
                  isNew={isNew}
                  onClose={close}
                />
              )}
            </>
          );
        }}
      </Loaded>
      <Markup />
    </PageLayout>
  );
}

/** Returns micro-dollars as dollars. */
const dollars = (micro: number) => `$${(micro / MICRO).toFixed(2)}`;

const columns = (): Column<AiModel>[] => [
  { title: t('Name'), cell: ({ displayName }) => displayName },
  { title: t('Id'), cell: ({ id }) => <code>{id}</code>, minor: true },
  ...PRICES.filter(([name]) => name === 'input' || name === 'output').map(
    ([name, title]): Column<AiModel> => ({
      title: title(),
      cell: ({ perMillion }) => dollars(perMillion[name]),
      width: '96px',
      align: 'end',
    }),
  ),
];

interface EditModelProps {
  model: AiModel;
  /** Ids that a new model must not have. */
  taken: readonly string[];
  isNew: boolean;
  onClose: () => void;
}

function EditModel({ model, taken, isNew, onClose }: EditModelProps) {
  const [id, setId] = useState(model.id);
  const [displayName, setDisplayName] = useState(model.displayName);
  const [perMillion, setPerMillion] = useState(model.perMillion);
  const [asks, setAsks] = useState(false);
  const isTaken = taken.includes(id);
  const save = useChange(
    (client, { id: modelId, ...body }: AiModel) =>
      client.call('putAiModel', { params: { id: modelId }, body }),
    { refresh: [KEY] },
  );
  const remove = useChange(
    (client, modelId: string) => client.call('deleteAiModel', { params: { id: modelId } }),
    { refresh: [KEY] },
  );
  const error = save.error ?? remove.error;
  if (asks) {
    return (
      <Confirm
        title={t('Delete {name}?', { name: model.displayName })}
        action={t('Delete model')}
        onClose={() => setAsks(false)}
        onConfirm={() => {
          remove.mutate(id, { onSuccess: onClose });
          setAsks(false);
        }}
      >
        <p>{t('The public catalogue no longer lists it.')}</p>
      </Confirm>
    );
  }
  return (
    <FormDialog
      title={isNew ? t('Create model') : model.displayName}
      action={isNew ? t('Create model') : t('Save model')}
      wide
      disabled={save.isPending || remove.isPending || isTaken}
      onClose={onClose}
      onSubmit={() => save.mutate({ id, displayName, perMillion }, { onSuccess: onClose })}
    >
      {error === null ? null : <Failed error={error} />}
      <TextField
        label={t('Id')}
        value={id}
        required
        readOnly={!isNew}
        maxLength={200}
        error={isTaken ? t('There is a model of this id. Choose another one.') : undefined}
        onChange={({ target }) => setId(target.value)}
      />
      <TextField
        label={t('Name')}
        value={displayName}
        required
        maxLength={200}
        onChange={({ target }) => setDisplayName(target.value)}
      />
      <p>{t('Prices before the markup, in micro-dollars for a million tokens: 1,000,000 is a dollar.')}</p>
      <div className={styles['prices']}>
        {PRICES.map(([name, title]) => (
          <TextField
            key={name}
            label={title()}
            type="number"
            min={0}
            step={1}
            required
            value={String(perMillion[name])}
            onChange={({ target }) => setPerMillion({ ...perMillion, [name]: Number(target.value) })}
          />
        ))}
      </div>
      {isNew ? null : (
        <div className={styles['row']}>
          <Button keys="d" kind="danger" disabled={remove.isPending} onClick={() => setAsks(true)}>
            {t('Delete model')}
          </Button>
        </div>
      )}
    </FormDialog>
  );
}
