import type { Piece } from '../core/markup.ts';

/** Renders texts and the few allowed elements, each created by name. Data of a server is never parsed as HTML. */
export const Pieces = ({ pieces }: { pieces: readonly Piece[] }) => <>{pieces.map(drawn)}</>;

function drawn(piece: Piece) {
  if (typeof piece === 'string') return piece;
  const inner = <Pieces pieces={piece.pieces} />;
  switch (piece.tag) {
    case 'a':
      return piece.href === undefined ? (
        inner
      ) : (
        <a href={piece.href} target="_blank" rel="noopener noreferrer nofollow">
          {inner}
        </a>
      );
    case 'b':
    case 'strong':
      return <strong>{inner}</strong>;
    case 'i':
    case 'em':
      return <em>{inner}</em>;
    case 'code':
      return <code>{inner}</code>;
    default:
      return inner;
  }
}

export const hasLink = (pieces: readonly Piece[]): boolean =>
  pieces.some((piece) => typeof piece !== 'string' && (piece.href !== undefined || hasLink(piece.pieces)));
