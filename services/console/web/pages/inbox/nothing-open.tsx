import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Code } from '../../components/code.tsx';
import { Empty, NextStep } from '../../components/state.tsx';

const START = "import { startMessenger } from '@switchboard/messenger';\n\nstartMessenger(switchboard);";

/** Says that no conversation is open. If there never was one, shows how the first comes to be. */
export function NothingOpen() {
  const { project } = usePlace();
  const { data } = useCall(['listConversations', project.id, 'any'], (client, options) =>
    client.call('listConversations', { params: { projectId: project.id }, query: { limit: 1 } }, options),
  );
  if (data === undefined || data.conversations.length > 0)
    return <Empty text={t('No conversation is in this view.')} />;
  return (
    <Empty text={t('No visitor has written yet. Start the messenger on your pages.')}>
      <Code text={START} name={t('the call')} />
      <NextStep page="/settings/messenger" title={t('Set up the messenger')} permission="messenger.write" />
    </Empty>
  );
}
