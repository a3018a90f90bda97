import { useEffect, useRef, useState } from 'preact/hooks';
import type { Access } from '../core/api.ts';
import { drawn } from '../core/drawn.ts';
import type { FileOfTurn } from '../core/turns.ts';
import { fill } from '../texts/texts.ts';
import { useAround } from './context.ts';
import { Icon } from './icons.tsx';
import type { Lightbox } from './lazy/lightbox.tsx';

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
  const [Large, setLarge] = useState<typeof Lightbox>();
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

  async function enlarge(): Promise<void> {
    const loaded = await import('./lazy/lightbox.tsx').catch(() => undefined);
    setLarge(() => loaded?.Lightbox);
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
        onClick={() => void enlarge()}
        aria-label={fill(texts.enlarge, file.name)}
      >
        {blob !== undefined && <Picture blob={blob} side={MAX_SMALL} onNone={() => setNone(true)} />}
      </button>
      {Large !== undefined && blob !== undefined && (
        <Large name={file.name} onDownload={() => void download()} onClose={() => setLarge(undefined)}>
          <Picture blob={blob} side={MAX_LARGE} />
        </Large>
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
