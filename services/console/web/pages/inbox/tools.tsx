import type { ConversationChange, Member, SupportSettings } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { type Choice, Choose } from './choose.tsx';
import type { Tool } from './conversation.tsx';
import { priorityName } from './list.tsx';

interface ToolsProps {
  tool: Tool;
  /** The sub of the agent. */
  me: string;
  labelIds: readonly string[];
  settings: SupportSettings | undefined;
  members: readonly Member[];
  onApply: (change: ConversationChange) => void;
  onCreateLabel: (name: string) => void;
  onClose: () => void;
}

const HOUR_MS = 3_600_000;
const MORNING = 9;
const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;

/** The list of choices of a tool. */
export function Tools({
  tool,
  me,
  labelIds,
  settings,
  members,
  onApply,
  onCreateLabel,
  onClose,
}: ToolsProps) {
  const choice = (key: string, title: string, change: ConversationChange): Choice => ({
    key,
    title,
    run: () => onApply(change),
  });
  switch (tool) {
    case 'assign':
      return (
        <Choose
          title={t('Assign to')}
          choices={[
            choice('me', t('Me'), { assigneeId: me }),
            choice('none', t('No one'), { assigneeId: null }),
            ...members
              .filter(({ sub }) => sub !== me)
              .map(({ sub, name }) => choice(sub, name, { assigneeId: sub })),
            ...(settings?.teams ?? []).map(({ id, name }) =>
              choice(id, t('Team: {name}', { name }), { teamId: id }),
            ),
          ]}
          onClose={onClose}
        />
      );
    case 'label':
      return (
        <Choose
          title={t('Label')}
          choices={(settings?.labels ?? []).map(({ id, name, color }) => ({
            key: id,
            title: name,
            color,
            isChosen: labelIds.includes(id),
            run: () => onApply(labelIds.includes(id) ? { removeLabelIds: [id] } : { addLabelIds: [id] }),
          }))}
          create={{ title: (name) => t('Create label "{name}"', { name }), run: onCreateLabel }}
          onClose={onClose}
        />
      );
    case 'priority':
      return (
        <Choose
          title={t('Set the priority')}
          choices={PRIORITIES.map((priority) => choice(priority, priorityName(priority), { priority }))}
          onClose={onClose}
        />
      );
    case 'snooze': {
      const until = (at: Date | null) => ({ snooze: { until: at?.toISOString() ?? null } });
      return (
        <Choose
          title={t('Snooze')}
          choices={[
            choice('reply', t('Until the visitor writes'), until(null)),
            choice('hours', t('For 3 hours'), until(new Date(Date.now() + 3 * HOUR_MS))),
            choice('tomorrow', t('Until tomorrow morning'), until(morningIn(1))),
            choice('week', t('For a week'), until(morningIn(7))),
            choice('end', t('End the snooze'), { snooze: null }),
          ]}
          onClose={onClose}
        />
      );
    }
  }
}

function morningIn(days: number): Date {
  const morning = new Date();
  morning.setDate(morning.getDate() + days);
  morning.setHours(MORNING, 0, 0, 0);
  return morning;
}
