import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import { Failed, Loaded, Loading } from '../../components/state.tsx';
import styles from '../operator.module.css';

const KEY = ['getAiMarkup'];

/** The markup on the prices of all models. */
export function Markup() {
  const query = useCall(KEY, (client, options) => client.call('getAiMarkup', {}, options));
  return (
    <Section title={t('Markup')}>
      <Loaded query={query} loading={<Loading rows={1} />}>
        {({ markupPercent }) => <MarkupForm key={markupPercent} stored={markupPercent} />}
      </Loaded>
    </Section>
  );
}

function MarkupForm({ stored }: { stored: number }) {
  const [percent, setPercent] = useState(String(stored));
  const save = useChange(
    (client, markupPercent: number) => client.call('putAiMarkup', { body: { markupPercent } }),
    { refresh: [KEY] },
  );
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(Number(percent));
      }}
    >
      {save.error === null ? null : <Failed error={save.error} />}
      <TextField
        label={t('Percent that published prices add')}
        type="number"
        min={0}
        max={100_000}
        step={1}
        required
        value={percent}
        onChange={({ target }) => setPercent(target.value)}
      />
      <Button type="submit" disabled={Number(percent) === stored || save.isPending}>
        {t('Save markup')}
      </Button>
    </form>
  );
}
