import { useNavigate } from '@tanstack/react-router';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { PageLayout } from '../../components/layout.tsx';
import { Loaded } from '../../components/state.tsx';
import { Editor } from '../flag/editor.tsx';
import { useFlags } from '../flags/use-flags.ts';

/** Creates a flag. */
export function Page() {
  const { pathOf } = usePlace();
  const navigate = useNavigate();
  const query = useFlags();
  return (
    <PageLayout title={t('New flag')}>
      <Loaded query={query}>
        {({ flags, lastChanges }) => (
          <Editor
            saved={undefined}
            flags={flags}
            existing={(key) => {
              const flag = flags.find((one) => one.key === key);
              return flag && { flag, version: lastChanges.find((one) => one.key === key)?.version };
            }}
            onSaved={(key) => void navigate({ to: pathOf(`/flags/${encodeURIComponent(key)}`) })}
          />
        )}
      </Loaded>
    </PageLayout>
  );
}
