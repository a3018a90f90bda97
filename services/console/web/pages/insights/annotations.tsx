import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import styles from './annotations.module.css';
import type { Annotation } from './use-annotations.ts';

interface AnnotationsProps {
  annotations: readonly Annotation[];
  reportId: string | undefined;
  /** The day of a new annotation that was chosen on the axis. */
  day: string | undefined;
  /** Opens the form for a day, or closes it. */
  onDay: (day: string | undefined) => void;
}

/** The annotations of a chart, numbered as on its axis. */
export function Annotations({ annotations, reportId, day, onDay }: AnnotationsProps) {
  const { project, may } = usePlace();
  const [edited, setEdited] = useState<Annotation>();
  const refresh = [['listAnnotations', project.id]];
  const remove = useChange(
    (client, annotationId: string) =>
      client.call('deleteAnnotation', { params: { projectId: project.id, annotationId } }),
    { refresh },
  );
  const mayWrite = may('annotations.write');
  return (
    <div className={styles['annotations']}>
      {annotations.length === 0 ? null : (
        <ol className={styles['list']} aria-label={t('Annotations')}>
          {annotations.map((one, index) => (
            <li key={one.id}>
              <span className={styles['number']}>{index + 1}</span>
              <span className={styles['text']}>
                {one.startsOn === one.endsOn ? one.startsOn : `${one.startsOn} – ${one.endsOn}`} · {one.text}{' '}
                <span className={styles['muted']}>
                  {one.tags.join(', ')}
                  {one.reportId == null ? ` · ${t('all charts')}` : ''}
                </span>
              </span>
              {one.canChange && mayWrite ? (
                <>
                  <IconButton
                    icon={Pencil}
                    label={t('Edit annotation {number}', { number: index + 1 })}
                    onClick={() => setEdited(one)}
                  />
                  <IconButton
                    icon={Trash2}
                    label={t('Delete annotation {number}', { number: index + 1 })}
                    onClick={() => remove.mutate(one.id)}
                  />
                </>
              ) : null}
            </li>
          ))}
        </ol>
      )}
      {remove.error === null ? null : <Failed error={remove.error} />}
      {mayWrite ? (
        <div>
          <Button
            keys="a"
            kind="quiet"
            icon={Plus}
            onClick={() => onDay(new Date().toISOString().slice(0, 10))}
          >
            {t('Add annotation')}
          </Button>
        </div>
      ) : null}
      {day === undefined ? null : (
        <AnnotationForm day={day} reportId={reportId} onClose={() => onDay(undefined)} />
      )}
      {edited === undefined ? null : (
        <AnnotationForm
          day={edited.startsOn}
          annotation={edited}
          reportId={reportId}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

interface AnnotationFormProps {
  day: string;
  annotation?: Annotation;
  reportId: string | undefined;
  onClose: () => void;
}

function AnnotationForm({ day, annotation, reportId, onClose }: AnnotationFormProps) {
  const { project } = usePlace();
  const [startsOn, setStartsOn] = useState(day);
  const [endsOn, setEndsOn] = useState(annotation?.endsOn === day ? '' : (annotation?.endsOn ?? ''));
  const [text, setText] = useState(annotation?.text ?? '');
  const [tags, setTags] = useState(annotation?.tags.join(', ') ?? '');
  const [isOfReport, setIsOfReport] = useState(
    reportId !== undefined && (annotation === undefined || annotation.reportId != null),
  );
  const names = tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const params = { projectId: project.id };
  const save = useChange(
    (client, _: undefined) => {
      const body = {
        startsOn,
        ...(endsOn !== '' && { endsOn }),
        text,
        tags: names.length > 0 ? names : ['note'],
        reportId: isOfReport && reportId !== undefined ? reportId : null,
      };
      return annotation === undefined
        ? client.call('createAnnotation', { params, body })
        : client.call('changeAnnotation', { params: { ...params, annotationId: annotation.id }, body });
    },
    { refresh: [['listAnnotations', project.id]] },
  );
  const title = annotation === undefined ? t('Add annotation') : t('Edit annotation');
  return (
    <FormDialog
      title={title}
      action={annotation === undefined ? title : t('Save annotation')}
      disabled={save.isPending || startsOn === '' || text.trim() === ''}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField
        label={t('Text')}
        value={text}
        required
        maxLength={200}
        onChange={({ target }) => setText(target.value)}
      />
      <TextField
        label={t('Day')}
        type="date"
        value={startsOn}
        required
        onChange={({ target }) => setStartsOn(target.value)}
      />
      <TextField
        label={t('Last day (optional)')}
        type="date"
        min={startsOn}
        value={endsOn}
        onChange={({ target }) => setEndsOn(target.value)}
      />
      <TextField
        label={t('Tags')}
        hint={t('Separated by commas. Default: note.')}
        value={tags}
        onChange={({ target }) => setTags(target.value)}
      />
      {reportId === undefined ? null : (
        <SelectField
          label={t('Shown on')}
          value={isOfReport ? 'report' : 'project'}
          options={[
            { value: 'report', title: t('This report') },
            { value: 'project', title: t('Every chart of the project') },
          ]}
          onChange={({ target }) => setIsOfReport(target.value === 'report')}
        />
      )}
      {save.error === null ? null : <Failed error={save.error} />}
    </FormDialog>
  );
}
