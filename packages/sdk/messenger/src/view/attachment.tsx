import { useEffect, useRef, useState } from 'preact/hooks';
import type { Access } from '../core/api.ts';
import { drawn } from '../core/drawn.ts';
import type { FileOfTurn } from '../core/turns.ts';
import { fill } from '../texts/texts.ts';
import { useAround } from './context.ts';
import { Icon } from './icons.tsx';

const MAX_SMALL = 560;
const MAX_LARGE = 2400;

interface AttachmentProps {
  file: FileOfTurn;
  /** Undefined while the conversation is not open. */
  access: Access | undefined;
}

/** Renders a file of a turn: a picture is displayed, and any other file can be downloaded. */
export function Attachment({ file, access }: AttachmentProps) {
  const { store, texts } = useAround();
  const [blob, setBlob] = useState<Blob>();
  const [isLarge, setLarge] = useState(false);
  const [isNone, setNone] = useState(false);
  const isPicture = file.contentType.startsWith('image/') && !isNone;
  const id = access?.id;
  useEffect(() => {
    let isGone = false;
    if (isPicture && access !== undefined && blob === undefined)
      void store.api.file(access, file.id).then((loaded) => {
        if (isGone) return;
        setBlob(loaded);
        setNone(loaded === undefined);
      });
    return () => {
      isGone = true;
    };
  }, [id, file.id, isPicture]);

  async function download(): Promise<void> {
    const loaded = blob ?? (access && (await store.api.file(access, file.id)));
    if (loaded === undefined) return;
    const url = URL.createObjectURL(loaded);
    const link = document.createElement('a');
    link.href = url;
    link.download = file.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  if (!isPicture)
    return (
      <button
        type="button"
        class="file"
        onClick={() => void download()}
        aria-label={fill(texts.download, file.name)}
      >
        <span class="file-icon">
          <Icon name="file" />
        </span>
        <FileName file={file} />
        <Icon name="load" />
      </button>
    );
  return (
    <>
      <button
        type="button"
        class={blob === undefined ? 'picture loading' : 'picture'}
        disabled={blob === undefined}
        onClick={() => setLarge(true)}
        aria-label={fill(texts.enlarge, file.name)}
      >
        {blob !== undefined && <Picture blob={blob} side={MAX_SMALL} onNone={() => setNone(true)} />}
      </button>
      {isLarge && blob !== undefined && (
        <Lightbox
          name={file.name}
          blob={blob}
          onDownload={() => void download()}
          onClose={() => setLarge(false)}
        />
      )}
    </>
  );
}

function FileName({ file }: { file: FileOfTurn }) {
  const { formats } = useAround();
  return (
    <span class="file-name">
      <bdi>{file.name}</bdi>
      <small>{formats.bytes(file.bytes)}</small>
    </span>
  );
}

/** Renders a picture on a canvas, because a URL would need permission of a content security policy. */
export function Picture({ blob, side, onNone }: { blob: Blob; side: number; onNone?: () => void }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let isGone = false;
    void drawn(blob, side).then((canvas) => {
      if (isGone) return;
      if (canvas === undefined) onNone?.();
      else place.current?.replaceChildren(canvas);
    });
    return () => {
      isGone = true;
    };
  }, [blob]);
  return <span class="canvas" ref={place} aria-hidden="true" />;
}

interface LightboxProps {
  name: string;
  blob: Blob;
  onDownload(): void;
  onClose(): void;
}

function Lightbox({ name, blob, onDownload, onClose }: LightboxProps) {
  const { texts } = useAround();
  const dialog = useRef<HTMLDialogElement>(null);
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
      <Picture blob={blob} side={MAX_LARGE} />
    </dialog>
  );
}
