import { Plus, Trash2 } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import styles from './editor.module.css';
import { CHATS, type Channel } from './words.tsx';

const MAX_CHANNELS = 5;

interface ChannelsProps {
  channels: readonly Channel[];
  /** The channels before the change, with shortened URLs. */
  stored: readonly Channel[];
  onChange: (channels: readonly Channel[]) => void;
}

/** The chat channels of a subscription. The URL of a stored one is secret, so it can only be removed. */
export function Channels({ channels, stored, onChange }: ChannelsProps) {
  const replace = (at: number, changed: Partial<Channel>) =>
    onChange(channels.map((one, index) => (index === at ? { ...one, ...changed } : one)));
  return (
    <fieldset className={styles['channels']}>
      <legend>{t('Chat channels')}</legend>
      {channels.map((channel, at) => (
        <div key={at} className={styles['channel']}>
          {stored.includes(channel) ? (
            <span className={styles['stored']}>{`${CHATS[channel.kind]}: ${channel.url}`}</span>
          ) : (
            <>
              <SelectField
                label={t('Chat')}
                value={channel.kind}
                options={KINDS.map((value) => ({ value, title: CHATS[value] }))}
                onChange={({ target }) =>
                  replace(at, { kind: KINDS.find((one) => one === target.value) ?? 'slack' })
                }
              />
              <TextField
                label={t('Webhook URL')}
                type="url"
                required
                maxLength={2048}
                placeholder="https://"
                value={channel.url}
                onChange={({ target }) => replace(at, { url: target.value })}
              />
            </>
          )}
          <IconButton
            icon={Trash2}
            label={t('Remove channel {number}', { number: at + 1 })}
            onClick={() => onChange(channels.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {channels.length < MAX_CHANNELS ? (
        <div>
          <Button icon={Plus} onClick={() => onChange([...channels, { kind: 'slack', url: '' }])}>
            {t('Add channel')}
          </Button>
        </div>
      ) : null}
    </fieldset>
  );
}

const KINDS = ['slack', 'discord', 'teams'] as const;
