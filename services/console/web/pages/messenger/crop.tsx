import { useEffect, useRef, useState } from 'react';
import { t } from '../../app/i18n.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { Failed } from '../../components/state.tsx';
import styles from './messenger.module.css';

/** The side of a picture. It is shown in at most 68 px. */
const SIDE = 256;
const MAX_BYTES = 20_000_000;
const MAX_ZOOM = 4;

interface CropProps {
  file: File;
  /** Receives the cropped picture as a data URL. */
  onCrop: (address: string) => void;
  onClose: () => void;
}

/** Crops a picture to a square and encodes it again, which also leaves out where it was taken. */
export function Crop({ file, onCrop, onClose }: CropProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [picture, setPicture] = useState<ImageBitmap>();
  const [error, setError] = useState<Error>();
  const [zoom, setZoom] = useState(1);
  /** The middle of the visible part, from 0 to 1. */
  const [at, setAt] = useState({ x: 0.5, y: 0.5 });

  useEffect(() => {
    let isOver = false;
    if (file.size > MAX_BYTES) {
      setError(new Error(t('The file is larger than 20 MB. Choose a smaller one.')));
      return undefined;
    }
    createImageBitmap(file).then(
      (bitmap) => (isOver ? bitmap.close() : setPicture(bitmap)),
      () => setError(new Error(t('The file is not a picture that the browser can read.'))),
    );
    return () => {
      isOver = true;
    };
  }, [file]);

  const side = picture === undefined ? 0 : Math.min(picture.width, picture.height) / zoom;
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (picture === undefined || !context) return;
    const left = (picture.width - side) * at.x;
    const top = (picture.height - side) * at.y;
    context.imageSmoothingQuality = 'high';
    context.clearRect(0, 0, SIDE, SIDE);
    context.drawImage(picture, left, top, side, side, 0, 0, SIDE, SIDE);
  }, [picture, side, at]);

  const move = (x: number, y: number) => {
    if (picture === undefined) return;
    const scale = side / SIDE;
    const part = (from: number, by: number, room: number) =>
      room === 0 ? from : Math.min(1, Math.max(0, from - (by * scale) / room));
    setAt(({ x: oldX, y: oldY }) => ({
      x: part(oldX, x, picture.width - side),
      y: part(oldY, y, picture.height - side),
    }));
  };
  const range = (label: string, value: number, set: (value: number) => void, [min, max] = [0, 1]) => (
    <label className={styles['range']}>
      {label}
      <input
        type="range"
        min={min}
        max={max}
        step={0.01}
        value={value}
        onChange={({ target }) => set(target.valueAsNumber)}
      />
    </label>
  );
  return (
    <FormDialog
      title={t('Crop the picture')}
      action={t('Use picture')}
      disabled={picture === undefined}
      onClose={onClose}
      onSubmit={() => {
        const address = canvas.current?.toDataURL('image/png');
        if (address !== undefined) onCrop(address);
      }}
    >
      {error === undefined ? (
        <div className={styles['crop']}>
          <canvas
            ref={canvas}
            width={SIDE}
            height={SIDE}
            role="img"
            aria-label={t('Cropped picture')}
            onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
            onPointerMove={({ buttons, movementX, movementY }) => {
              if (buttons === 1) move(movementX, movementY);
            }}
          />
          <div className={styles['ranges']}>
            {range(t('Zoom'), zoom, setZoom, [1, MAX_ZOOM])}
            {range(t('Left to right'), at.x, (x) => setAt({ ...at, x }))}
            {range(t('Top to bottom'), at.y, (y) => setAt({ ...at, y }))}
          </div>
        </div>
      ) : (
        <Failed error={error} />
      )}
    </FormDialog>
  );
}
