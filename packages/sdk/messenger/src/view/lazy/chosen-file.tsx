import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { FileOfTurn } from '../../core/turns.ts';
import { fill } from '../../texts/texts.ts';
import { useAround } from '../context.ts';
import { Icon } from '../icons.tsx';
import { useStyles } from './adopt.ts';

/** A file for the next turn. */
export interface Chosen {
  key: string;
  name: string;
  blob: Blob;
  /** The fraction that is uploaded, 0 to 1. */
  part: number;
  /** Set when the server has stored the file. */
  file: FileOfTurn | undefined;
  stop(): void;
}

interface ChosenFileProps {
  chosen: Chosen;
  onRemove(): void;
  children: ComponentChildren;
}

const STYLES = `
.chosen { display: grid; grid-template-columns: minmax(0, 1fr); gap: 4px; padding: 8px 8px 0; }
.chip { display: flex; align-items: center; gap: 10px; padding: 5px; border-radius: 14px; background: var(--sunken); }
.composer[data-shape=square] .chip { border-radius: 2px; }
.chip .canvas { flex: none; width: 38px; height: 38px; overflow: hidden; border-radius: 10px; background: var(--line); }
.chip canvas { width: 100%; height: 100%; object-fit: cover; }
.chip .file-name { flex: 1; }
progress { appearance: none; width: 100%; height: 4px; margin-top: 5px; border: 0; border-radius: 2px; overflow: hidden; background: var(--line); }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--accent-edge); transition: width .15s; }
progress::-moz-progress-bar { background: var(--accent-edge); }
`;

/** Renders a file that the next turn sends. `children` is its picture, if it is one. */
export function ChosenFile({ chosen, onRemove, children }: ChosenFileProps) {
  const place = useRef<HTMLLIElement>(null);
  useStyles(place, STYLES);
  const { texts, formats } = useAround();
  const { name, part, file } = chosen;
  const percent = Math.round(part * 100);
  return (
    <li class="chip" ref={place}>
      {children || (
        <span class="file-icon">
          <Icon name="file" />
        </span>
      )}
      <span class="file-name">
        <bdi>{name}</bdi>
        {file === undefined ? (
          <progress max={100} value={percent} aria-label={fill(texts.uploading, name)} />
        ) : (
          <small>{formats.bytes(file.bytes)}</small>
        )}
      </span>
      <button type="button" class="round small" aria-label={fill(texts.remove, name)} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  );
}
