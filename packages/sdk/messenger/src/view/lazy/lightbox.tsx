import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { fill } from '../../texts/texts.ts';
import { useAround } from '../context.ts';
import { Icon } from '../icons.tsx';
import { useStyles } from './adopt.ts';

const STYLES = `
.lightbox { width: 100%; max-width: none; height: 100%; max-height: none; padding: 64px 16px 16px; border: 0; background: rgb(8 10 16 / 92%); color: #fff; }
.lightbox > .canvas { display: grid; place-items: center; height: 100%; }
.lightbox canvas { max-height: calc(100vh - 90px); object-fit: contain; border-radius: 6px; }
.lightbox-bar { position: absolute; inset: 10px 12px auto; display: flex; align-items: center; gap: 4px; }
.lightbox-bar bdi { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lightbox .round { color: #fff; }
.lightbox .round:hover { background: rgb(255 255 255 / 18%); color: #fff; }
.lightbox :focus-visible { outline-color: #fff; }
`;

interface LightboxProps {
  name: string;
  children: ComponentChildren;
  onDownload(): void;
  onClose(): void;
}

/** Shows a picture over the page. */
export function Lightbox({ name, children, onDownload, onClose }: LightboxProps) {
  const { texts } = useAround();
  const dialog = useRef<HTMLDialogElement>(null);
  useStyles(dialog, STYLES);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      class="lightbox"
      ref={dialog}
      aria-label={name}
      onClose={onClose}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div class="lightbox-bar">
        <bdi>{name}</bdi>
        <button type="button" class="round" onClick={onDownload} aria-label={fill(texts.download, name)}>
          <Icon name="load" />
        </button>
        <button type="button" class="round" onClick={() => dialog.current?.close()} aria-label={texts.back}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}
