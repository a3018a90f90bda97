import { t } from '../app/i18n.ts';
import { Button } from './button.tsx';
import { Code } from './code.tsx';
import { Dialog } from './dialog.tsx';

interface ShownOnceProps {
  title: string;
  /** The name of the value, such as "the token". */
  name: string;
  value: string;
  onClose: () => void;
}

/** Shows a secret that the API returns only once. */
export function ShownOnce({ title, name, value, onClose }: ShownOnceProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{t('Copy it now. It is not shown again.')}</p>
      <Code text={value} name={name} />
      <div>
        <Button kind="primary" onClick={onClose}>
          {t('Close')}
        </Button>
      </div>
    </Dialog>
  );
}
