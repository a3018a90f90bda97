import { locale } from '../../app/i18n.ts';
import { Time } from '../../components/values.tsx';

/** A time that is past or in the future. A future one is shown in full. */
export function When({ at }: { at: string }) {
  const date = new Date(at);
  if (date.getTime() <= Date.now()) return <Time at={at} />;
  return (
    <time dateTime={date.toISOString()}>
      {new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(date)}
    </time>
  );
}
