import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { t } from '../../app/i18n.ts';
import { onUse } from '../../app/on-use.tsx';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { PageLayout } from '../../components/layout.tsx';
import { Builder } from './builder.tsx';
import { emptyDraft, queryOf } from './draft.ts';
import { InsightResult } from './result.tsx';
import { search } from './search.ts';

const SavedReports = onUse(async () => (await import('./saved-reports.tsx')).SavedReports);
const SaveReport = onUse(async () => (await import('./save.tsx')).SaveReport);

export function Page() {
  const { may, pathOf } = usePlace();
  const [{ q, find }, setSearch] = usePageSearch(search);
  const [isSaving, setIsSaving] = useState(false);
  const navigate = useNavigate();
  const draft = q ?? emptyDraft();
  const query = queryOf(draft);
  return (
    <PageLayout
      title={t('Insights')}
      actions={
        may('reports.write') ? (
          <Button keys="c" kind="primary" disabled={query === undefined} onClick={() => setIsSaving(true)}>
            {t('Save report')}
          </Button>
        ) : undefined
      }
    >
      <Builder draft={draft} onChange={(next) => setSearch({ q: next })} />
      <InsightResult query={query} name={t('Insight')} />
      <SavedReports find={find} onFind={(next) => setSearch({ find: next })} />
      {isSaving && query !== undefined ? (
        <SaveReport
          query={query}
          onClose={() => setIsSaving(false)}
          onSaved={(id) => void navigate({ to: pathOf(`/reports/${encodeURIComponent(id)}`) })}
        />
      ) : null}
    </PageLayout>
  );
}
