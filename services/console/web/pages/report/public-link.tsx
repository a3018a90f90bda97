import { useState } from 'react';
import { t } from '../../app/i18n.ts';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import styles from './public-link.module.css';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 90;
const DAY_MS = 86_400_000;

const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

interface Link {
  url: string;
  expiresOn: string;
  createdAt: string;
}

interface Change<V> {
  isPending: boolean;
  error: Error | null;
  mutate(variables: V): void;
}

interface PublicLinkProps {
  /** The link. null: there is none. */
  query: { data: Link | null | undefined; error: Error | null; refetch(): unknown };
  /** Creates the link, or changes its stop day. */
  publish: Change<string>;
  remove: Change<undefined>;
  mayPublish: boolean;
  /** Says who sees the page without a link. */
  none: string;
}

/** The public link of a report or dashboard, with the day it stops on. */
export function PublicLink({ query, publish, remove, mayPublish, none }: PublicLinkProps) {
  const [isDeleting, setIsDeleting] = useState(false);
  const [day, setDay] = useState<string>();
  const failure = publish.error ?? remove.error;
  return (
    <Section title={t('Public link')}>
      {failure === null ? null : <Failed error={failure} />}
      <Loaded query={query}>
        {(link) => {
          const stopsOn = day ?? link?.expiresOn ?? dayIn(DEFAULT_DAYS);
          return (
            <>
              {link === null ? (
                <Empty text={none} />
              ) : (
                <Facts
                  facts={[
                    [t('Address'), <Id key="url" value={link.url} name={t('address')} />],
                    [t('Stops on'), link.expiresOn],
                    [t('Created'), <Time key="created" at={link.createdAt} />],
                  ]}
                />
              )}
              {mayPublish ? (
                <form
                  className={styles['row']}
                  onSubmit={(event) => {
                    event.preventDefault();
                    publish.mutate(stopsOn);
                  }}
                >
                  <TextField
                    label={t('Stop day (UTC)')}
                    type="date"
                    required
                    min={dayIn(1)}
                    max={dayIn(MAX_DAYS)}
                    value={stopsOn}
                    onChange={({ target }) => setDay(target.value)}
                  />
                  <Button type="submit" disabled={publish.isPending || stopsOn === link?.expiresOn}>
                    {link === null ? t('Create public link') : t('Change stop day')}
                  </Button>
                  {link === null ? null : (
                    <Button kind="danger" onClick={() => setIsDeleting(true)}>
                      {t('Delete public link')}
                    </Button>
                  )}
                </form>
              ) : null}
            </>
          );
        }}
      </Loaded>
      {isDeleting ? (
        <Confirm
          title={t('Delete the public link?')}
          action={t('Delete public link')}
          onClose={() => setIsDeleting(false)}
          onConfirm={() => {
            remove.mutate(undefined);
            setIsDeleting(false);
          }}
        >
          <p>{t('Its address stops at once. A new link has another address.')}</p>
        </Confirm>
      ) : null}
    </Section>
  );
}

/** Returns null for a call that answers 404: no link is an answer, not a failure. */
export async function orNone<T>(call: Promise<T>): Promise<T | null> {
  return await call.catch((error: { status?: number }) => {
    if (error.status === 404) return null;
    throw error;
  });
}
