import type { SupportSettings } from '@switchboard/management';
import { t } from '../../../app/i18n.ts';
import { Choose } from '../choose.tsx';
import { useSupportSettings } from '../settings.ts';

interface SavedRepliesProps {
  replies: SupportSettings['savedReplies'];
  /** The draft, which can be saved as a reply. */
  body: string;
  onInsert: (text: string) => void;
  onClose: () => void;
}

/** Inserts a saved reply, or saves the draft under a name. */
export function SavedReplies({ replies, body, onInsert, onClose }: SavedRepliesProps) {
  const { change } = useSupportSettings();
  return (
    <Choose
      title={t('Saved replies')}
      choices={replies.map((reply) => ({
        key: reply.id,
        title: reply.name,
        run: () => onInsert(reply.body),
      }))}
      {...(body.trim() !== '' && {
        create: {
          title: (name: string) => t('Save the draft as "{name}"', { name }),
          run: (name: string) =>
            change((settings) => ({ ...settings, savedReplies: [...settings.savedReplies, { name, body }] })),
        },
      })}
      onClose={onClose}
    />
  );
}
